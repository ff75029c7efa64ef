"""Runs on nodes that Slurm gives: handed in at a login node, followed where the job runs."""
