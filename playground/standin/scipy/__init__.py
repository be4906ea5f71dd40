"""What the road from a robot's file to straight-line code takes of SciPy, in plain Python."""
