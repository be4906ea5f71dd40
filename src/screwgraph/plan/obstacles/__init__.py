"""Obstacles: one file each; a new one is a new file and a line in `OBSTACLES`."""

OBSTACLES: dict[str, type] = {}

__all__ = ["OBSTACLES"]
