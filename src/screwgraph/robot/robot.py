"""The robot: a tree of links and joints in a canonical order, and its coordinates."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from jaxtyping import Float

from screwgraph.errors import InputError
from screwgraph.robot.parts import Frame, Joint, Link

STANDARD_GRAVITY = (0.0, 0.0, -9.81)


@dataclass(frozen=True, eq=False)
class Robot:
    """A tree of rigid links.

    `links[0]` is the base, which does not move; `joints[i]` moves `links[i + 1]`, parents first.
    `frames` are the other names that the file knows (links merged into another, for instance).
    `warnings` are one-line remarks about the file. Build one with `tree`, which checks and sorts.
    """

    name: str
    links: tuple[Link, ...]
    joints: tuple[Joint, ...]
    frames: tuple[Frame, ...] = ()
    gravity: tuple[float, float, float] = STANDARD_GRAVITY
    warnings: tuple[str, ...] = field(default=())
    loops: tuple[()] = ()

    @property
    def joint_names(self) -> tuple[str, ...]:
        """Names of the joints, in the order of their coordinates."""
        return tuple(j.name for j in self.joints)

    @property
    def nq(self) -> int:
        """Number of position coordinates."""
        return sum(j.type.nq for j in self.joints)

    @property
    def nv(self) -> int:
        """Number of velocity coordinates."""
        return sum(j.type.nv for j in self.joints)

    @property
    def mass(self) -> float:
        """Total mass (kg) of the links, the base included."""
        return sum(link.inertia.mass for link in self.links)

    @cached_property
    def q_slices(self) -> Mapping[str, slice]:
        """Where each joint's position stands in q, by joint name."""
        return _slices((j.name, j.type.nq) for j in self.joints)

    @cached_property
    def v_slices(self) -> Mapping[str, slice]:
        """Where each joint's velocity, acceleration and effort stand in qd, qdd and tau, by joint name."""
        return _slices((j.name, j.type.nv) for j in self.joints)

    @cached_property
    def _link_index(self) -> Mapping[str, int]:
        return {link.name: i for i, link in enumerate(self.links)}

    @cached_property
    def _joint_index(self) -> Mapping[str, int]:
        return {joint.name: i for i, joint in enumerate(self.joints)}

    def link(self, name: str) -> Link:
        """Return the link of that name. Raises InputError when there is none."""
        return self.links[self.link_index(name)]

    def joint(self, name: str) -> Joint:
        """Return the joint of that name. Raises InputError when there is none."""
        if name not in self._joint_index:
            raise unknown("joint", name, self.joint_names)
        return self.joints[self._joint_index[name]]

    def link_index(self, name: str) -> int:
        """Return the number of a link, 0 for the base. Raises InputError when there is none."""
        if name not in self._link_index:
            raise unknown("link", name, tuple(self._link_index))
        return self._link_index[name]

    def joint_of(self, link: str) -> Joint | None:
        """Return the joint that moves a link; None for the base."""
        index = self.link_index(link)
        return self.joints[index - 1] if index else None

    def children(self, link: str) -> tuple[Joint, ...]:
        """Return the joints that hang on a link."""
        return tuple(j for j in self.joints if j.parent == link)

    def frame(self, name: str) -> Frame:
        """Return a frame by name: one of `frames`, or a link's own. Raises InputError when there is none."""
        for frame in self.frames:
            if frame.name == name:
                return frame
        if name in self._link_index:
            return Frame(name, name, np.eye(4))
        raise unknown("frame", name, tuple(f.name for f in self.frames) + tuple(self._link_index))

    def neutral(self) -> Float[np.ndarray, " nq"]:
        """Return the zero configuration."""
        return np.concatenate([np.zeros(0), *(j.type.neutral() for j in self.joints)])

    def random(self, rng: np.random.Generator) -> Float[np.ndarray, " nq"]:
        """Return a random configuration, quaternions normalised, limits not regarded."""
        return np.concatenate([np.zeros(0), *(j.type.random(rng) for j in self.joints)])


def unknown(what: str, name: object, known: Iterable[str]) -> InputError:
    """Make the error for a name that does not exist, with the nearest ones that do."""
    from difflib import get_close_matches

    names = list(known)
    near = get_close_matches(str(name), names, n=3, cutoff=0.5) or names[:6]
    fix = f"did you mean {', '.join(near)}?" if near else f"there is no {what} at all"
    return InputError(f"no {what} is called {name!r}", fix=fix)


def _slices(sizes: Iterable[tuple[str, int]]) -> dict[str, slice]:
    result, start = {}, 0
    for name, size in sizes:
        result[name] = slice(start, start + size)
        start += size
    return result
