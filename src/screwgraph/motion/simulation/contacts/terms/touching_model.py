"""The models that steps with contacts are made of."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Protocol

from screwgraph.compiler import Argument
from screwgraph.motion.simulation.closure_code import Opening
from screwgraph.motion.simulation.contacts.geometry.contact import Contact
from screwgraph.motion.simulation.contacts.geometry.ground import Plane
from screwgraph.motion.simulation.contacts.laws.closed_inertia import ClosedInertia
from screwgraph.motion.simulation.contacts.laws.independent_velocities import LoopBlock
from screwgraph.motion.simulation.contacts.laws.laws import ImpulseLaw
from screwgraph.motion.simulation.contacts.terms.coupled_velocities import CoupledVelocities
from screwgraph.spatial.manifolds import Manifold
from screwgraph.tape import Number, Row


class StopRow(NamedTuple):
    """A joint whose range ends: its place in q and in qd, its range (rad, m), and whether it has dry friction."""

    at: int
    along: int
    lower: float
    upper: float
    rubs: bool = False


class Known(NamedTuple):
    """Terms a second solution has of the first one: inertia, rows of loops, Jacobians of rows alone and of soles."""

    inertia: ClosedInertia
    K: list[Row]
    J: list[Row]
    soles: list[Row]


class TouchingModel(Protocol):
    """A model in motion that touches the ground; a new kind is a class with these."""

    @property
    def name(self) -> str:
        """The name of the model."""
        ...

    @property
    def contacts(self) -> tuple[Contact, ...]:
        """Contacts that may touch."""
        ...

    @property
    def swaying(self) -> Sequence[bool]:
        """Whether the body that each contact touches moves, too."""
        ...

    @property
    def soles(self) -> Sequence[Sequence[int]]:
        """The contacts, by place, of each link that has several with one plane: `soles.py`."""
        ...

    @property
    def whirls(self) -> bool:
        """Whether terms depend on velocities, so that a step may have a second solution: `second_solution.py`."""
        ...

    @property
    def plane(self) -> Plane | None:
        """The ground that stands in the code; None where tangent planes are inputs."""
        ...

    @property
    def stop_rows(self) -> Sequence[StopRow]:
        """Joints whose range ends."""
        ...

    @property
    def rubbing(self) -> Sequence[int]:
        """Places in qd of coordinates with dry friction and no stops."""
        ...

    @property
    def laws(self) -> list[ImpulseLaw]:
        """The laws of the impulses: contacts, stops, friction of joints."""
        ...

    @property
    def rows(self) -> int:
        """How many impulses there are."""
        ...

    @property
    def free_velocities(self) -> CoupledVelocities:
        """The velocities that linear couplings leave free, and which other constraints there are."""
        ...

    @property
    def loop_blocks(self) -> Sequence[LoopBlock]:
        """The rows of K, by free velocities, that are solved for: `independent_velocities.py`."""
        ...

    @property
    def propagates(self) -> bool:
        """Whether impulses are found by propagation, else by a Delassus matrix: `propagation.py`."""
        ...

    @property
    def root(self) -> int:
        """How many of these come first and move all that touches, as those of a floating base do."""
        ...

    @property
    def manifold(self) -> Manifold:
        """The manifold of positions."""
        ...

    @property
    def state(self) -> tuple[Argument, ...]:
        """The arguments q, qd and, where there are efforts, tau."""
        ...

    @property
    def parameters(self) -> tuple[Argument, ...]:
        """The argument of numbers of the model that are inputs, if there are any."""
        ...

    @property
    def question(self) -> tuple[object, ...]:
        """The part of the model that code depends on."""
        ...

    @property
    def terms(self) -> Callable[..., dict[str, list[Number]]]:
        """The terms of a step by name, of arguments q, qd, dt, and, where it has them, tau, planes, values, push."""
        ...

    @property
    def forces_at_rest(self) -> Callable[..., list[Number]]:
        """The forces by free velocities of what is at rest, of arguments q and, where it has them, tau, values."""
        ...

    def close_inertia(
        self, q: Any, dt: Any, K: Sequence[Row], values: Any = (), softness: float = 0.0
    ) -> tuple[ClosedInertia, list[Row]]:
        """Return the inertia at q in a step of dt with rows K of loops, and what is left of it for the root.

        With a `softness` rows that depend on one another have finite impulses: `make_closed_inertia`.
        """
        ...

    def turn_loops(self, q: Any, qd: Any, dt: Any, values: Any = ()) -> list[Number]:
        """Return what turns velocities as loops do in a step of a model that whirls: rates of loops, then impulses."""
        ...

    def kinetic_energy(self, q: Any, qd: Any, values: Any = ()) -> Number:
        """Return the kinetic energy (J)."""
        ...

    def lock_joints(self, q: Any, qd: Any, values: Any = ()) -> list[Number]:
        """Return the velocities of the same momentum with which all bodies move as one, zero of what is fixed."""
        ...

    def couple(self, q: Any) -> Any:
        """Return positions where linear couplings hold exactly, of positions nearby."""
        ...

    def open_loops(self, q: Any, values: Any = ()) -> Opening:
        """Return how constraints of `free_velocities.loops` are open at q, for values of `parameters`."""
        ...

    @property
    def jams(self) -> bool:
        """Whether contacts of one body may jam constraints that keep it rigid."""
        ...
