"""Mutants of the sources: small changes, each of which some test should notice."""
