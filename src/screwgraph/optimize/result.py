"""Result of solving a problem, with covariances: parts of the inverse of the normal equations."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import Enum
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from jaxtyping import Float

from screwgraph.base.errors import InputError
from screwgraph.base.summary import one_line
from screwgraph.optimize.linear import Factored, SingularError
from screwgraph.optimize.variables import Variables, selection

if TYPE_CHECKING:
    from screwgraph.optimize.problem import Problem


class Status(Enum):
    """How solving ended."""

    CONVERGED = "converged"
    ITERATION_LIMIT = "iteration limit"
    TIME_LIMIT = "time limit"
    STALLED = "stalled"
    SINGULAR = "singular"
    NOT_FINITE = "not finite"
    INFEASIBLE = "infeasible"
    STOPPED = "stopped"
    INTERRUPTED = "interrupted"
    FAILED = "failed"

    @property
    def is_stopped(self) -> bool:
        """Whether a callback, or Ctrl-C, ended it."""
        return self in (Status.STOPPED, Status.INTERRUPTED)


@dataclass(frozen=True, eq=False)
class Iterate:
    """Iterate of a method: its values, their cost and largest violation, and what it needs to go on (`memory`)."""

    __repr__ = one_line

    x: Float[np.ndarray, " s"]
    cost: float
    violation: float = 0.0
    gradient: float = np.inf
    memory: Mapping[str, Any] = field(default_factory=dict)

    def __getstate__(self) -> dict[str, Any]:
        """Leave out matrices in factored form, which are of machine code: a search that goes on makes another."""
        memory = {name: value for name, value in self.memory.items() if not isinstance(value, Factored)}
        return {**vars(self), "memory": memory}


@dataclass(frozen=True)
class Progress:
    """The progress of a solver, which callbacks get after each iteration."""

    __repr__ = one_line

    iteration: int
    cost: float
    violation: float
    gradient: float
    seconds: float
    values: Mapping[str, np.ndarray]


@dataclass(frozen=True, eq=False)
class Result:
    """Result of a method: its last values, or the best ones where it did not converge.

    `status` and `reason` say whether they can be relied on.
    `cost` is that of the soft factors, `violation` the largest residual of a hard one, in its own units.
    """

    problem: Problem
    iterate: Iterate
    iterations: int
    seconds: float
    status: Status
    reason: str
    method: str

    @property
    def success(self) -> bool:
        """Whether the method converged."""
        return self.status is Status.CONVERGED

    @property
    def cost(self) -> float:
        """Half the sum of squares of all whitened residuals, or of their losses."""
        return self.iterate.cost

    @property
    def violation(self) -> float:
        """Largest residual of a hard factor; 0 where there is none."""
        return self.iterate.violation

    @cached_property
    def values(self) -> dict[str, np.ndarray]:
        """Values by family, `(count, *shape)`."""
        return self.problem.layout.unpack(self.iterate.x)

    @cached_property
    def residuals(self) -> dict[str, Float[np.ndarray, "N m"]]:
        """Residuals by name of factors, as their templates return them."""
        return self.problem.assembly.residuals(self.iterate.x)

    @cached_property
    def costs(self) -> dict[str, float]:
        """Costs of soft factors, by name."""
        return self.problem.assembly.costs(self.iterate.x)

    @cached_property
    def violations(self) -> dict[str, float]:
        """By how much hard factors do not hold at most, by name, in their own units."""
        return {name: float(sizes.max()) for name, sizes in self.problem.assembly.broken(self.iterate.x).items()}

    def covariance(self, *unknowns: Any) -> Float[np.ndarray, "n n"]:
        """Return the covariance of unknowns, given as selections or families, jointly, in their directions.

        It is the inverse of the Gauss-Newton matrix, on the space that hard equalities leave. Hard inequalities are
        left out.

        Raises:
            InputError: nothing was asked for, or the factors do not determine all unknowns.
        """
        return covariance(self.problem, self.iterate.x, unknowns)

    def covariances(self, *families: Variables) -> Float[np.ndarray, "N n n"]:
        """Return the covariance of each unknown of a family by itself, N of them: fast along chains.

        Of several families of N unknowns each, it is the joint one of their k-th unknowns, for all k.

        Raises:
            InputError: as `covariance` does.
        """
        return covariances(self.problem, self.iterate.x, families)

    def __repr__(self) -> str:
        violation = f", violation {self.violation:.2g}" if self.problem.has_hard else ""
        return (
            f"<{self.status.value}: cost {self.cost:.6g}{violation}, {self.iterations} iterations, "
            f"{self.seconds:.3g} s, {self.method}; {self.reason}>"
        )


def covariance(problem: Problem, x: Float[np.ndarray, " s"], unknowns: Sequence[Any]) -> Float[np.ndarray, "n n"]:
    """Return the joint covariance of unknowns at x, in the order in which they are named."""
    if not unknowns:
        raise InputError("the covariance of nothing", fix="name families or selections of unknowns")
    layout, places = problem.layout, []
    for chosen in map(selection, unknowns):
        if chosen.variables not in problem.families:
            raise InputError(f"{chosen.variables.name} is not in this problem")
        dim = chosen.variables.manifold.dim
        first = layout.directions[chosen.variables.name].start + chosen.indices * dim
        places.append((first[:, None] + np.arange(dim)).ravel())
    with _name_undetermined(problem):
        return _factor_problem(problem, x).covariance(np.concatenate(places))


def covariances(
    problem: Problem, x: Float[np.ndarray, " s"], families: Sequence[Variables]
) -> Float[np.ndarray, "N n n"]:
    """Return the joint covariance of the unknowns of the same number of some families, number by number."""
    counts = {family.count for family in families}
    if len(counts) != 1:
        raise InputError(f"covariances of {len(families)} families with {sorted(counts)} unknowns", fix="equal counts")
    places = []
    for family in families:
        if family not in problem.families:
            raise InputError(f"{family.name} is not in this problem")
        first, dim = problem.layout.directions[family.name].start, family.manifold.dim
        places.append(first + np.arange(family.count * dim).reshape(family.count, dim))
    with _name_undetermined(problem):
        return np.array(_factor_problem(problem, x).marginal_covariances(list(np.hstack(places))))


def _factor_problem(problem: Problem, x: Float[np.ndarray, " s"]) -> Factored:
    assembly = problem.assembly
    _, _, entries = assembly.linearise(x)
    if assembly.equalities.count:
        _, slopes = assembly.equalities.linearise(problem.layout.views(x))
        return assembly.kkt.factor(np.concatenate([entries, slopes]), 0.0)
    return assembly.normal.factor(entries, 0.0)


@contextmanager
def _name_undetermined(problem: Problem) -> Iterator[None]:
    try:
        yield
    except SingularError as error:
        raise InputError(
            f"the factors do not determine {problem.name_direction(error.unknown)}", fix="add a prior, or leave it out"
        ) from None
