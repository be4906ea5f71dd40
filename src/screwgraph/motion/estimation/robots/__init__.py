"""What estimates ask of robots: the graph of a motion, unknowns, windows, inverse dynamics along a motion."""
