"""What estimates ask of planar mechanisms: factor graphs, unknowns, windows, inverse dynamics along a motion."""
