"""What is asked of a graph, and the order of its elimination: arguments, results, checks, search."""
