"""Names and labels of coordinates."""

from __future__ import annotations

import screwgraph as sg
from screwgraph.motion.simulation import columns


def test_a_floating_base_is_labelled_by_its_pose_and_its_twist():
    found = columns(sg.load("a1", base="floating"))
    pose = [f"base {name}" for name in ("x", "y", "z", "qx", "qy", "qz", "qw")]
    assert [c.label for c in found["q"][:8]] == [*pose, "FR_hip_joint"]
    for kind in ("qd", "qdd", "tau"):
        assert [c.label for c in found[kind][:6]] == [f"base {name}" for name in ("wx", "wy", "wz", "vx", "vy", "vz")]
    assert [c.name for c in found["q"][:2]] == ["floating_base[0]", "floating_base[1]"]
