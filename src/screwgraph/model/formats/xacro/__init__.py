"""Xacro files, expanded within bounds."""
