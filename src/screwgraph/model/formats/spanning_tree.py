"""Which joints of a file form a tree, and which close loops."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, TypeVar


class Joining(Protocol):
    """A joint between two links, by their names."""

    @property
    def parent(self) -> str:
        """The link that it stands on."""
        ...

    @property
    def child(self) -> str:
        """The link that it moves."""
        ...


J = TypeVar("J", bound=Joining)


def chosen_joints(base: str, joints: Sequence[J]) -> tuple[list[J], list[J]]:
    """Return the joints that form a tree, and those that close loops, in the order of the file.

    A joint closes a loop where other joints join its links already. Joints that give a link a second parent, but join
    what nothing else joins, belong to the tree, and come last.
    """
    group: dict[str, str] = {}

    def root(link: str) -> str:
        while group.setdefault(link, link) != link:
            link = group[link]
        return link

    chosen, later, moved = [], [], {base}
    for joint in joints:
        if joint.child in moved or root(joint.parent) == root(joint.child):
            later.append(joint)
            continue
        moved.add(joint.child)
        group[root(joint.child)] = root(joint.parent)
        chosen.append(joint)
    loops = []
    for joint in later:
        if root(joint.parent) == root(joint.child):
            loops.append(joint)
        else:
            group[root(joint.child)] = root(joint.parent)
            chosen.append(joint)
    return chosen, sorted(loops, key=joints.index)
