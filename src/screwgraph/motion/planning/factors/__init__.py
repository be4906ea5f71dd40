"""Factors of every trajectory: the laws of motion, closed loops, priors between neighbouring states."""
