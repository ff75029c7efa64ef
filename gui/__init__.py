"""Windows, panels and charts. Qt lives here and nowhere else."""
