"""Derivatives of code: on the tape, in closed form for trees of joints, and by matrices and vectors from the sides."""
