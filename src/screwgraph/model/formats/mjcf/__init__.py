"""MJCF, by MuJoCo's compiler."""
