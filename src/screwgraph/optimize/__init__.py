"""Nonlinear least squares on factor graphs."""
