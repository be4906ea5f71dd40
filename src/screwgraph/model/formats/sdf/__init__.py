"""SDF: models, joints and frames of its files."""
