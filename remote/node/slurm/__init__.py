"""What Clew's half on a node knows of Slurm: its words, its clients, and jobs of Clew's own."""
