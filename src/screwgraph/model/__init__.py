"""Models: robots and planar mechanisms, and the files that describe them."""
