"""What a task does, by its role: ``ps`` holds variables, ``worker`` computes, one is the chief."""
