"""A network some of whose quantities are known: the factors of the others, ready to be solved.

Searches begin at a motion through what is known, on one branch, with the forces that it takes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from jaxtyping import Float

from screwgraph.base.argument_checks import check_arguments, convert_numbers
from screwgraph.base.errors import InputError
from screwgraph.base.summary import one_line
from screwgraph.compiler import Function, Order, compile_graph
from screwgraph.graph import Key, dynamics_graph
from screwgraph.model.robot import make_unknown_name_error
from screwgraph.motion.estimation.bayes.branch_search import search_branches
from screwgraph.motion.estimation.bayes.branches import Path, find_branches
from screwgraph.motion.estimation.bayes.determinacy import check_determined
from screwgraph.motion.estimation.bayes.driven_coordinates import evaluate_driven
from screwgraph.motion.estimation.bayes.factors import FAMILIES, NetworkFactors
from screwgraph.motion.estimation.bayes.instant import complete_velocity, move_to_known, solve_dynamics
from screwgraph.motion.estimation.bayes.jumps import check_jumps
from screwgraph.motion.estimation.bayes.known_motion import KnownMotion
from screwgraph.motion.estimation.bayes.known_names import Known
from screwgraph.motion.estimation.bayes.motion_integration import integrate_motion
from screwgraph.motion.estimation.bayes.network_model import NetworkModel
from screwgraph.motion.estimation.bayes.solution import BayesSolution
from screwgraph.motion.estimation.mechanism_noise import Noise
from screwgraph.motion.estimation.mechanisms.forward_graph import INTEGRATORS, OF_EQUATIONS
from screwgraph.motion.planning.models import find_joint
from screwgraph.motion.simulation import dynamics_of
from screwgraph.optimize import Problem, Result, each, solve
from screwgraph.optimize.manifold_code import difference_values

BROKEN = 1e-8
"""Residual, relative to 1 and the largest value, that laws may be left with at one instant."""

SEARCHES = (("dogleg", 40), ("gauss_newton", 30), ("levenberg_marquardt", 100))
"""Methods and iterations: one step where equations are linear; full steps along bent valleys; past singular states."""

EXPECTED = 1.0
"""Cost for each unknown, up to which a search needs no other start."""


@dataclass(frozen=True, eq=False)
class GivenNetwork:
    """The factor graph of a model at one instant or over time, given what is known. See `BayesNetwork.given`.

    Functions of time tell those of the `known` quantities that are `driven`.

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
    driven: tuple[Known, ...] = ()

    def __post_init__(self) -> None:
        for kind in self.asked:
            if kind not in (*self._kinds, "C"):
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
        names = {known.name: known for known in self.known if known not in self.driven}
        for name in values:
            if name not in names:
                raise make_unknown_name_error("known quantity", name, names)
        for name in names:
            if name not in values:
                raise InputError(f"the value of {name} is missing", why="it was named as known")
        given = {name: known.values(values) for name, known in names.items()}
        given |= evaluate_driven(self.model, self.driven, float(self.dt or 0.0))
        motion = KnownMotion.from_known(
            self.model, self.steps, float(self.dt or 0.0), self.known, given, self.laws.paths
        )
        given |= {
            known.name: motion.values(known) for known in self.laws.known_quantities if known.kind in motion.tables
        }
        problem, own = self.problem.with_parameters(self._parameters(given)), dict(guess or {})
        at_branch = given.get("C")

        def solve_near(path: Path | None) -> BayesSolution:
            return self._solve(problem, given, self._starts(given, own, motion, path))

        if "C" in self.asked:
            return search_branches(self._add_readings(motion, given), self._start(given, own)["q"], solve_near)
        return solve_near(None if at_branch is None else np.repeat(at_branch, self.steps, axis=0))

    def _solve(
        self, problem: Problem, given: Mapping[str, np.ndarray], starts: Sequence[Mapping[str, np.ndarray]]
    ) -> BayesSolution:
        """Search from starts. Raises InputError as calls do."""
        result = _solve_from_starts(problem, starts)
        check_determined(problem, result.iterate.x, self.laws)
        if self.steps == 1 and not self._is_observed:
            _check_laws(result)
        elif not result.success:
            raise InputError(f"the search ends: {result.status.value}", why=result.reason, fix="give a nearer guess=")
        return BayesSolution(self.model.model, self._collect_values(result, given), result)

    def _add_readings(self, motion: KnownMotion, given: Mapping[str, np.ndarray]) -> KnownMotion:
        """Return what is known with readings of sensors of single coordinates, near which branches lie."""
        tables = {kind: table.copy() for kind, table in motion.tables.items()}
        for known in self.known:
            column = self.model.find_read_column(self.model.sensors[known.sensor]) if known.kind == "o" else None
            if column is not None:
                own = tables["q"][list(known.steps), column]
                tables["q"][list(known.steps), column] = np.where(np.isnan(own), given[known.name][:, 0], own)
        return replace(motion, tables=tables)

    @check_arguments
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
        keys = [key for known in self.known if known.kind != "C" for key in self._keys(known)]
        renamed = ["tau" + name[1:] if name.partition(":")[0] == "Q" else name for name in names]
        return compile_graph(dynamics_graph(self.model.model).given(*keys), renamed, ordering=ordering)

    def _keys(self, known: Known) -> Iterator[Key]:
        kind = "tau" if known.kind == "Q" else known.kind
        labels = [self.model.find_part(known.kind, i).label for i in known.entries]
        robot = self.model.robot
        return (Key(kind, name) for name in dict.fromkeys(find_joint(robot, label) for label in labels))

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
        self, given: Mapping[str, np.ndarray], guess: Mapping[str, Any], motion: KnownMotion, path: Path | None = None
    ) -> list[dict[str, np.ndarray]]:
        """Return where searches begin: at the guess, or at a path, and where what is known leads from a known state.

        Raises:
            InputError: paths jump, and no noise was stated.
        """
        near = self._start(given, guess)["q"] if path is None else path
        guess = guess if path is None else {kind: x for kind, x in guess.items() if kind not in ("q", "z")}
        found = [{**guess_motion(motion, near, has_forces="Q" in self.laws.kinds), **guess}]
        is_followed = "q" in guess and not self.laws.paths if path is None else bool(np.ptp(path, axis=0).any())
        integrated = None if self.steps == 1 or is_followed else integrate_motion(motion, near)
        if integrated is not None:
            if self.laws.paths and self.noise is None:
                check_jumps(motion, integrated, near)
            values = integrated.values
            found = [{**values, **guess}, *([values] if guess else []), *found]
        return [self._start(given, {**self._independent_values(values), **values}) for values in found]

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
                values = np.broadcast_to(convert_numbers(near), shape).copy()
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
        values = {kind: x[0] if self.steps == 1 else x for kind, x in found.items()}
        return {**values, "C": found["q"][0]}


def guess_motion(
    known: KnownMotion, near: Float[np.ndarray, "steps nq"], *, has_forces: bool
) -> dict[str, Float[np.ndarray, "steps _"]]:
    """Return a motion by kind: each position is on the branch of the one before, or of `near`: at the
    first, or at all where these differ.

    Known positions are gone through, between them others are interpolated; velocities are the smallest that go with
    what is known, or those from step to step; accelerations, efforts and multipliers solve the equations of motion,
    where the network `has_forces`.
    """
    model = known.model
    with np.errstate(all="ignore"):
        q = _guess_positions(known, near)
        qd = _guess_velocities(known, q)
        if not has_forces:
            return {"q": q, "qd": qd}
        tables = known.motion("qdd"), known.tables["Q"], known.tables["lambda"]
        solved = [solve_dynamics(model, *row) for row in zip(q, qd, *tables, strict=True)]
    qdd, tau, multipliers = (np.array(rows) for rows in zip(*solved, strict=True))
    return {"q": q, "qd": qd, "qdd": qdd, "Q": tau, "lambda": multipliers}


def _guess_positions(known: KnownMotion, near: Float[np.ndarray, "steps nq"]) -> Float[np.ndarray, "steps nq"]:
    model, wanted, found = known.model, known.interpolate_positions(), near.copy()
    is_moved, is_one = False, (near == near[0]).all()
    for k in range(len(near)):
        here = found[k - 1] if is_moved and is_one else near[k]
        if np.isnan(wanted[k]).all() and not is_moved:
            continue
        try:
            found[k] = move_to_known(model, here, wanted[k])
        except (InputError, np.linalg.LinAlgError):
            others = find_branches(model, here, wanted[k])
            found[k] = others[0] if len(others) else np.where(np.isnan(wanted[k]), here, wanted[k])
        is_moved = is_moved or not np.isnan(wanted[k]).all()
    return found


def _guess_velocities(known: KnownMotion, q: Float[np.ndarray, "steps nq"]) -> Float[np.ndarray, "steps nv"]:
    model, given = known.model, known.motion("qd")
    near = _mean_velocities(model, q, known.dt) if len(q) > 1 else np.zeros((1, model.nv))
    return np.array([complete_velocity(model, *row) for row in zip(q, given, near, strict=True)])


def _mean_velocities(model: NetworkModel, q: Float[np.ndarray, "steps nq"], dt: float) -> Float[np.ndarray, "steps nv"]:
    """Return velocities from each position to the next, means of both sides inside."""
    ahead = difference_values(model.positions, q[:-1], q[1:]) / dt
    return np.concatenate([ahead[:1], (ahead[:-1] + ahead[1:]) / 2.0, ahead[-1:]])


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
