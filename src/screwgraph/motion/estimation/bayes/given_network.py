"""A network some of whose quantities are known: the factors of the others, ready to be solved."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from jaxtyping import Float

from screwgraph.base.errors import InputError
from screwgraph.base.summary import one_line
from screwgraph.compiler import Function, Order, compile_graph
from screwgraph.graph import Key, dynamics_graph
from screwgraph.model.model import Model
from screwgraph.model.robot import make_unknown_name_error
from screwgraph.motion.estimation.bayes.default_guess import guess_motion
from screwgraph.motion.estimation.bayes.factors import FAMILIES, NetworkFactors
from screwgraph.motion.estimation.bayes.jumps import check_jumps
from screwgraph.motion.estimation.bayes.known_motion import KnownMotion
from screwgraph.motion.estimation.bayes.known_names import Known
from screwgraph.motion.estimation.bayes.motion_integration import integrate_motion
from screwgraph.motion.estimation.bayes.network_model import NetworkModel
from screwgraph.motion.estimation.forward_graph import INTEGRATORS, OF_EQUATIONS
from screwgraph.motion.estimation.mechanism_noise import Noise
from screwgraph.motion.simulation import dynamics_of
from screwgraph.optimize import Problem, Result, each, solve
from screwgraph.optimize.batch import make_batches
from screwgraph.optimize.linear import SingularError

BROKEN = 1e-8
"""Residual, relative to 1 and the largest value, that laws may be left with at one instant."""
SINGULAR = 1e-9
"""Singular values, relative to the largest, of what is not determined; columns of the Jacobian are unit vectors."""
DENSE = 1000
"""Up to so many unknown numbers, singular values are computed; beyond, only what no factor holds at all is noticed."""
NAMED = 4
SEARCHES = (("dogleg", 40), ("gauss_newton", 30), ("levenberg_marquardt", 100))
"""Methods and iterations: one step where equations are linear; full steps along bent valleys; past singular states."""
EXPECTED = 1.0
"""Cost for each unknown, up to which a search needs no other start."""
PREFERRED = (("tau",), ("q", "z"), ("v", "w"), ("a", "b"), ("lambda",))
"""Families, those first that are named as what would settle a motion, with those before."""
SETTLED = 1e-3
"""Singular values of what is free in some unknowns, relative to the largest, that these settle."""


@dataclass(frozen=True, eq=False)
class GivenNetwork:
    """The factor graph of a model at one instant or over time, given what is known. See `BayesNetwork.given`.

    Blanco-Claraco et al. (2021), section 5.
    """

    __repr__ = one_line

    model: NetworkModel
    steps: int
    known: tuple[Known, ...]
    asked: tuple[str, ...]
    dt: float | None = None
    integrator: str = "trapezoidal"
    noise: Noise | None = None
    is_independent: bool = False

    def __post_init__(self) -> None:
        for kind in self.asked:
            if kind not in self._kinds:
                raise make_unknown_name_error("kind of quantity", kind, self._kinds)
        if self.integrator not in INTEGRATORS:
            raise make_unknown_name_error("integrator", self.integrator, INTEGRATORS)
        if self.steps > 1 and not (isinstance(self.dt, int | float) and 0.0 < self.dt < np.inf):
            raise InputError(f"dt = {self.dt!r} is no time between {self.steps} steps", fix="give dt= in s")
        are_known = "Q" in self.laws.kinds and self.laws.are_forces_known
        if self.steps > 1 and self.integrator in OF_EQUATIONS and not are_known:
            raise InputError(
                f"{self.integrator!r} evaluates the equations of motion between steps, where torques are unknown",
                fix='take integrator="trapezoidal", or make "Q" known at all steps',
            )

    @cached_property
    def problem(self) -> Problem:
        """The factors of what is unknown; known values are parameters, zero here."""
        return Problem(self.laws.factors(self.dt, self.integrator, self.noise))

    @cached_property
    def laws(self) -> NetworkFactors:
        """Which unknowns there are, and the factors that tie them."""
        return NetworkFactors(self.model, self.steps, self.known, self.asked, self.is_independent)

    def __call__(self, values: Mapping[str, Any], guess: Mapping[str, Any] | None = None) -> BayesSolution:
        """Solve for what is unknown.

        Args:
            values: of all that is known, by the names that `given` took: (n,) of a kind, a number of one coordinate,
                with a first axis for steps where these are several. Units are SI.
            guess: where the search begins, by kind: (n,), or (steps, n). By default it begins, over time, with the
                motion that follows from a known state on the assembled branch, else with one through what is known.

        Raises:
            InputError: names or shapes are wrong, the known values contradict each other, or leave degrees of freedom
                undetermined: one line says how many, and names unknowns that would settle them. Or, where no noise was
                stated, torques do not lead to the state at which a path begins, or it goes through a dead centre.
        """
        names = {known.name: known for known in self.known}
        for name in values:
            if name not in names:
                raise make_unknown_name_error("known quantity", name, names)
        for name in names:
            if name not in values:
                raise InputError(f"the value of {name} is missing", why="it was named as known")
        given = {name: known.values(values) for name, known in names.items()}
        motion = KnownMotion.from_known(
            self.model, self.steps, float(self.dt or 0.0), self.known, given, self.laws.paths
        )
        given |= {known.name: motion.values(known) for known in self.laws.known_quantities if known.kind != "o"}
        starts = self._starts(given, guess or {}, motion)
        problem = self.problem.with_parameters(self._parameters(given))
        result = _solve_from_starts(problem, starts)
        check_determined(problem, result.iterate.x, self.laws)
        if self.steps == 1 and not self._is_observed:
            _check_laws(result)
        elif not result.success:
            raise InputError(f"the search ends: {result.status.value}", why=result.reason, fix="give a nearer guess=")
        return BayesSolution(self.model.model, self._collect_values(result, given), result)

    def compile(self, *names: str, ordering: Order = "auto") -> Function:
        """Return the linear part of one instant as a compiled function, positions and velocities being known.

        It is that of `sg.compile(sg.dynamics_graph(mechanism).given(...), names)`: kinds "qdd", "Q" or single ones.

        Raises:
            EliminationError: positions or velocities are unknown, or the graph does not determine what is asked.
            InputError: several steps, or a name means nothing.
        """
        if self.steps > 1 or self._is_observed or self.is_independent:
            raise InputError(
                "only one instant without observations, in spanning coordinates, is compiled",
                fix="call the network with values",
            )
        keys = [key for known in self.known for key in self._keys(known)]
        renamed = ["tau" + name[1:] if name.partition(":")[0] == "Q" else name for name in names]
        return compile_graph(dynamics_graph(self.model.model).given(*keys), renamed, ordering=ordering)

    def _keys(self, known: Known) -> Iterator[Key]:
        kind = "tau" if known.kind == "Q" else known.kind
        labels = [self.model.find_part(known.kind, i).label for i in known.entries]
        return (Key(kind, name) for name in dict.fromkeys(label.partition("[")[0] for label in labels))

    @property
    def _kinds(self) -> tuple[str, ...]:
        """The kinds of quantities that may be asked."""
        return tuple(kind for kind in FAMILIES if self.is_independent or not kind.startswith("z"))

    @property
    def _is_observed(self) -> bool:
        return any(known.kind == "o" for known in self.known)

    def _parameters(self, given: Mapping[str, np.ndarray]) -> dict[str, dict[str, Any]]:
        """Return known values as the parameters of factors, by name of these."""
        found: dict[str, dict[str, Any]] = {}
        for known in self.laws.known_quantities:
            if known.kind == "o" or known.kind in self.laws.families:
                found[known.name] = {"measured" if known.kind == "o" else "mean": each(given[known.name])}
        forced = self.laws.torque_parameters(self._torques(given)) if self.laws.are_forces_known else {}
        return found | {f.name: forced[f.name] for f in self.problem.factors if f.name in forced}

    def _torques(self, given: Mapping[str, np.ndarray]) -> np.ndarray:
        return self._fill_given("Q", given, np.zeros((self.steps, self.model.size("Q"))))

    def _fill_given(self, kind: str, given: Mapping[str, np.ndarray], values: np.ndarray) -> np.ndarray:
        """Return values of a kind, those that are known put in."""
        for known in self.known:
            if known.kind == kind:
                values[np.ix_(known.steps, known.columns)] = given[known.name]
        return values

    def _starts(
        self, given: Mapping[str, np.ndarray], guess: Mapping[str, Any], motion: KnownMotion
    ) -> list[dict[str, np.ndarray]]:
        """Return where searches over time begin: at the guess, and where what is known leads from a known state.

        Raises:
            InputError: paths jump, and no noise was stated.
        """
        own = self._start(given, guess)
        found = [{**guess_motion(motion, own["q"], has_forces="Q" in self.laws.kinds), **guess}]
        integrated = (
            None if self.steps == 1 or ("q" in guess and not self.laws.paths) else integrate_motion(motion, own["q"])
        )
        if integrated is not None:
            if self.laws.paths and self.noise is None:
                check_jumps(motion, integrated, own["q"])
            near = integrated.values
            found = [{**near, **guess}, *([near] if guess else []), *found]
        return [self._start(given, {**self._independent_values(near), **near}) for near in found]

    def _start(self, given: Mapping[str, np.ndarray], guess: Mapping[str, Any]) -> dict[str, np.ndarray]:
        """Return where the search begins, by family."""
        for kind in guess:
            if kind not in self._kinds:
                raise make_unknown_name_error("kind of quantity", kind, self._kinds)
        found, home = {}, self._home
        assembled = {"q": home, "z": home[list(self.model.z_columns)]} if "z" in self.model.parts else {"q": home}
        for kind, x in self.laws.families.items():
            near = guess.get(kind, assembled.get(kind, 0.0))
            shape = (self.steps, *x.manifold.shape)
            try:
                values = np.broadcast_to(np.asarray(near, dtype=float), shape).copy()
            except (TypeError, ValueError):
                raise InputError(f"guess of {kind} does not have the shape {shape}") from None
            found[x.name] = self._fill_given(kind, given, values)
        return found

    @cached_property
    def _home(self) -> np.ndarray:
        """Where the model stands, closed."""
        return dynamics_of(self.model.model).start(None, None)[0]

    def _independent_values(self, values: Mapping[str, Any]) -> dict[str, np.ndarray]:
        """Return independent coordinates of positions, velocities and accelerations."""
        if not self.is_independent:
            return {}
        places = {"q": self.model.z_columns, "qd": self.model.independent, "qdd": self.model.independent}
        every = {kind: np.asarray(values[kind], dtype=float) for kind in places if kind in values}
        return {kind.replace("q", "z"): x[..., list(places[kind])] for kind, x in every.items() if x.ndim}

    def _collect_values(self, result: Result, given: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
        """Return values by kind: (steps, n), or (n,) of one instant."""
        found = {kind: result.values[x.name] for kind, x in self.laws.families.items()}
        if "Q" in self.laws.kinds and "Q" not in found:
            found["Q"] = self._torques(given)
        return {kind: values[0] if self.steps == 1 else values for kind, values in found.items()}


def _solve_from_starts(problem: Problem, starts: Sequence[Mapping[str, np.ndarray]]) -> Result:
    """Search from one start after the other, until all laws hold; else return the best that was found."""
    found: list[Result] = []
    for start in starts:
        for method, iterations in SEARCHES:
            found.append(solve(problem, start, method=method, iterations=iterations))
            if found[-1].success:
                break
        if found[-1].success and found[-1].cost <= EXPECTED * len(found[-1].iterate.x):
            return found[-1]
    return min(found, key=lambda result: (not result.success, result.cost))


def _check_laws(result: Result) -> None:
    """Check that all laws, and what is known, hold at one instant. Raises InputError."""
    left = {name: float(np.abs(r).max(initial=0.0)) for name, r in result.residuals.items()}
    name = max(left, key=lambda key: left[key])
    if not left[name] <= BROKEN * max(1.0, float(np.abs(result.iterate.x).max())):
        raise InputError(
            f"the laws and the known values do not hold together: {name} is off by {left[name]:.3g}",
            why="the known values contradict each other, or the search ended elsewhere",
            fix="give fewer values, or a nearer guess=",
        )


def check_determined(problem: Problem, x: Float[np.ndarray, " s"], laws: NetworkFactors) -> None:
    """Check that the factors determine all unknowns at x.

    Raises:
        InputError: they do not; the message says how many degrees of freedom are left, and names as many unknowns.
    """
    layout, free = problem.layout, _find_undetermined(problem, x, laws)
    if free:
        count = "1 degree of freedom is" if len(free) == 1 else f"{len(free)} degrees of freedom are"
        names = [laws.name_unknown(*layout.place(i)) for i in free]
        more, size = ", ..." if len(names) > NAMED else "", layout.size
        rank = f"{size - len(free)}" if size <= DENSE else "fewer"
        raise InputError(
            f"{count} left undetermined by what is known",
            why=f"the laws and the known values have {rank} independent equations for {size} unknowns there",
            fix=f"give as many more, such as {', '.join(names[:NAMED])}{more}, or ask for fewer kinds by solve=",
        )


def _find_undetermined(problem: Problem, x: Float[np.ndarray, " s"], laws: NetworkFactors) -> list[int]:
    """Return as many directions as are free, which would settle them; one of them where unknowns are many."""
    if problem.layout.size > DENSE:
        _, gradient, entries = problem.assembly.linearise(x)
        try:
            problem.assembly.normal.factor(entries, 0.0).solve(gradient)
        except SingularError as error:
            return [error.unknown]
        return []
    from scipy.linalg import qr  # imports take a moment, and few networks are refused

    J = _unit(_unit(_jacobian(problem, x, laws), axis=1), axis=0)  # neither weights nor units decide
    if not np.isfinite(J).all():
        return []  # the search went astray, which its status says
    _, s, Vt = np.linalg.svd(np.linalg.qr(J, mode="r"))
    free = Vt[int((s > SINGULAR * s.max(initial=0.0)).sum()) :]
    if not len(free):
        return []
    families = np.array([problem.layout.place(i)[0] for i in range(free.shape[1])])
    chosen = np.zeros(free.shape[1], dtype=bool)
    for names in PREFERRED:
        chosen |= np.isin(families, names)
        own = np.linalg.svd(free[:, chosen], compute_uv=False)
        if len(own) == len(free) and own[-1] > SETTLED * own[0]:
            break
    order = np.asarray(qr(free[:, chosen], mode="r", pivoting=True)[-1])
    return sorted(np.flatnonzero(chosen)[order[: len(free)]].tolist())


def _unit(matrix: Float[np.ndarray, "m n"], axis: int) -> Float[np.ndarray, "m n"]:
    """Return a matrix whose rows (axis 1) or columns (axis 0) have the length 1, or 0."""
    lengths = np.sqrt((matrix * matrix).sum(axis=axis, keepdims=True))
    return matrix / np.where(lengths > 0.0, lengths, 1.0)


def _jacobian(problem: Problem, x: Float[np.ndarray, " s"], laws: NetworkFactors) -> Float[np.ndarray, "m n"]:
    """Return the Jacobian of whitened residuals, those rows that count."""
    layout, blocks = problem.layout, []
    views = layout.views(x)
    for batch in (single for f in problem.factors for single in make_batches([f])):
        _, slopes, _ = batch.factors.kernels.whitened_jacobian(*batch.inputs(views))
        slopes = slopes[:, laws.select_rows(batch.factors.name, slopes.shape[1])]
        block = np.zeros((*slopes.shape[:2], layout.size))
        for k, at in enumerate(batch.directions(layout)):
            block[k][:, at] = slopes[k]
        blocks.append(block.reshape(-1, layout.size))
    return np.concatenate(blocks)


@dataclass(frozen=True, eq=False)
class BayesSolution:
    """Values by kind, `solution["qdd"]`: (n,) at one instant, (steps, n) over time; Q are torques of the motors.

    SI units, in the order of the model's coordinates and motors. `result` is that of the search.
    """

    __repr__ = one_line

    model: Model
    values: Mapping[str, np.ndarray]
    result: Result

    def __getitem__(self, kind: str) -> np.ndarray:
        """Return the values of a kind. Raises InputError where it was left out."""
        if kind not in self.values:
            raise InputError(f"{kind!r} was not solved for", fix="name it in solve=")
        return self.values[kind]
