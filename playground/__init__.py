"""A page without a server that shows what elimination makes of a robot: `python -m playground`."""
