"""Robot files of random revolute joints: serial chains of any length, and trees."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np


def random_tree(joints: int, parent: Callable[[int], int] = lambda i: i - 1, seed: int = 0) -> str:
    """Return a URDF; link i hangs on link `parent(i)` by joint i, link 0 is the base. By default a chain."""
    rng = np.random.default_rng(seed)
    parts = ['<robot name="random"><link name="link0"/>']
    for i in range(1, joints + 1):
        half, (x, y, z), axis = rng.normal(size=(3, 3)), rng.uniform(-0.1, 0.1, 3), rng.normal(size=3)
        about = 0.01 * half @ half.T + 0.05 * np.eye(3)
        entries = ("xx", (0, 0)), ("xy", (0, 1)), ("xz", (0, 2)), ("yy", (1, 1)), ("yz", (1, 2)), ("zz", (2, 2))
        inertia = " ".join(f'i{name}="{about[place]}"' for name, place in entries)
        parts.append(
            f'<link name="link{i}"><inertial><origin xyz="{x} {y} {z}"/><mass value="{rng.uniform(0.5, 2.0)}"/>'
            f"<inertia {inertia}/></inertial></link>"
        )
        origin = " ".join(map(str, rng.uniform(-0.3, 0.3, 3))), " ".join(map(str, rng.uniform(-3.0, 3.0, 3)))
        parts.append(
            f'<joint name="joint{i}" type="revolute"><parent link="link{parent(i)}"/><child link="link{i}"/>'
            f'<origin xyz="{origin[0]}" rpy="{origin[1]}"/><axis xyz="{" ".join(map(str, axis))}"/>'
            '<limit lower="-3" upper="3" effort="9" velocity="9"/></joint>'
        )
    return "\n".join([*parts, "</robot>"])
