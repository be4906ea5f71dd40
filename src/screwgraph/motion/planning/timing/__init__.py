"""The fastest timing of a path that is given exactly."""
