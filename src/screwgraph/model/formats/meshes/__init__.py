"""Meshes and shapes of links."""
