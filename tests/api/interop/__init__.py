"""Converters of states, against the libraries themselves."""
