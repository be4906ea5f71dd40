"""How far plans are from motions: errors of steps, of windows of steps, of momenta."""
