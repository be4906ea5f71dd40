"""Passes from straight-line code to straight-line code that computes the same."""
