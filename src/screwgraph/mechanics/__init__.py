"""Mechanics at one instant: dynamics, kinematics, the equations of planar mechanisms."""
