"""URDF whose link has two parents: the later joint closes a loop.

Xie & Dellaert (2019) write parallel robots so ("amended URDF with extra loop closures").
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence

import numpy as np
from jaxtyping import Float

from screwgraph.model.formats.diagnostics import Place, Warnings
from screwgraph.model.formats.spanning_tree import chosen_joints
from screwgraph.model.robot import Joint, Link, Loop
from screwgraph.spatial import inverse


def split_closing(
    links: Sequence[Link], joints: Sequence[Joint], where: Callable[[Joint], Place], warnings: Warnings
) -> tuple[list[Joint], dict[Joint, Loop]]:
    """Return the joints of the tree, and the loops that the others close where the file draws the robot (q = 0).

    Where no link is without a parent, the first is the base. What is no tree with loops is left as it is.
    """
    names = {link.name for link in links}
    moved = Counter(joint.child for joint in joints)
    bases = [link.name for link in links if link.name not in moved]
    sound = all(j.parent in names and j.child in names and j.parent != j.child for j in joints)
    if not links or not sound or (bases and max(moved.values(), default=0) < 2):
        return list(joints), {}
    base = bases[0] if bases else links[0].name
    chosen, closing = chosen_joints(base, joints)
    if max(Counter(joint.child for joint in chosen).values(), default=0) > 1:
        return list(joints), {}
    tree = sorted(chosen, key=joints.index)
    at = _make_drawn_poses(tree)
    loops = {}
    for joint in closing:
        T_wj = at(joint.parent) @ joint.origin
        loops[joint] = Loop(
            joint.name, joint.type, joint.parent, joint.child, joint.origin, inverse(at(joint.child)) @ T_wj
        )
        lost = [what for what in ("damping", "friction", "armature") if getattr(joint, what)]
        warnings.add(
            f"link {joint.child!r} has two parents: joint {joint.name!r} closes a loop",
            at=where(joint),
            why=f"its {' and '.join(lost)} {'is' if len(lost) == 1 else 'are'} not modelled" if lost else "",
        )
    return tree, loops


def _make_drawn_poses(joints: Sequence[Joint]) -> Callable[[str], Float[np.ndarray, "4 4"]]:
    """Return what gives the pose of a link where the file draws it, in its base's frame."""
    above: Mapping[str, Joint] = {joint.child: joint for joint in joints}

    def pose(link: str) -> Float[np.ndarray, "4 4"]:
        T = np.eye(4)
        while link in above:
            T, link = above[link].origin @ T, above[link].parent
        return T

    return pose
