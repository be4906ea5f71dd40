"""Fixed-lag smoothing: a window of steps moves on; what leaves it stays as a prior."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from copy import copy
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from jaxtyping import Float

from screwgraph.base.errors import InputError
from screwgraph.compiler import Function
from screwgraph.optimize.parameters import validate_array
from screwgraph.optimize.problem import Problem
from screwgraph.optimize.smoothers.assembled_engine import AssembledEngine
from screwgraph.optimize.smoothers.gauss_newton import WindowStatus, optimise_window, take_step
from screwgraph.optimize.smoothers.initial_prior import make_initial_prior, move_prior
from screwgraph.optimize.smoothers.step_parameters import Given, StepParameters
from screwgraph.optimize.smoothers.unrolled_engine import UnrolledEngine
from screwgraph.optimize.smoothers.window import Predict, Window
from screwgraph.optimize.smoothers.window_export import (
    UpdateInputs,
    export_window,
    make_update_inputs,
    pack_state,
    unpack_state,
)
from screwgraph.optimize.smoothers.window_file import WindowState, load_window, save_window

STRAIGHT = 1e4
"""Up to so many operations a window is code without loops: more of them take long to compile."""


class FixedLag:
    """Smooths a window of steps, and moves it on.

    The window is a problem whose families have one unknown a step (W of them), or one that all steps share. When the
    first step leaves, the factors that touch it become a quadratic prior on its neighbour and on what is shared: a
    Schur complement in the tangent space of where they are then. `pinned` holds the first step fixed instead, as in
    Blanco-Claraco et al. (2021). Small windows are compiled to two functions without loops (`unrolled_engine.py`);
    larger ones call kernels of their factors and are factored step by step (`assembled_engine.py`).
    """

    def __init__(
        self,
        problem: Problem,
        start: Mapping[str, Any],
        *,
        prior: Mapping[str, Any] | None = None,
        pinned: bool = False,
        predict: Predict | None = None,
        guess: Mapping[str, Any] | None = None,
        iterations: int = 20,
        tolerance: float = 1e-10,
        is_unrolled: bool = True,
    ) -> None:
        """Begin with a window.

        Args:
            problem: soft factors over W steps; a factor ties neighbours at most.
            start: values by family.
            prior: how sure the start is of the first step, and of what is shared: by family a standard deviation (a
                number, or one for each direction), or a covariance (dim, dim). Families left out: not at all.
            pinned: hold the first step of the window fast.
            predict: from the last step's unknowns to those of the next; by default the same again.
            guess: values that the search begins with; by default those of the start, which the prior is about.
            iterations: Gauss-Newton steps for each window, at most.
            tolerance: of a step: its largest entry. Where rounding keeps steps longer, they end at 1e-7 of the values.
            is_unrolled: small windows are compiled to code without loops; false where `functions` will do their work.

        Raises:
            InputError: the problem is no window, or values do not fit.
        """
        self.problem, self.iterations, self.tolerance = problem, iterations, tolerance
        self._window = Window(problem, pinned, predict, frozenset(prior) if prior else None)
        self._x = problem.start(start)
        self._assembled = AssembledEngine(self._window)
        is_unrolled = is_unrolled and self.is_small
        self._engine: WindowEngine = UnrolledEngine(self._window) if is_unrolled else self._assembled
        self._parameters = self._parameters_of(problem)
        if prior and pinned:
            raise InputError("a pinned window has no prior", why="its first step is fixed")
        self._prior = [] if pinned else [make_initial_prior(self._window, problem.layout.views(self._x), prior or {})]
        if guess is not None:
            self._x = problem.start(guess)
        self._bound = self._engine.bind(self._parameters.vector)

    def copy(self) -> FixedLag:
        """Return a smoother that stands where this one stands, and moves on by itself."""
        other, is_large = copy(self), self._engine is self._assembled
        other._assembled = self._assembled.copy()
        other._engine = other._assembled if is_large else self._engine
        other._parameters = self._parameters.copy()
        other._bound = self._engine.bind(other._parameters.vector)
        return other

    def restart(
        self,
        problem: Problem,
        start: Mapping[str, Any],
        prior: Mapping[str, Any] | tuple[np.ndarray, np.ndarray] | None = None,
    ) -> FixedLag:
        """Return a smoother that begins again; compiled code is kept.

        Args:
            problem: this one's, or what `replaced` or `with_parameters` made of it.
            start: values of all unknowns by family.
            prior: as for a new one, or information and vector as `FixedLag.prior` tells them.

        Raises:
            InputError: values do not fit.
        """
        other = self.copy()
        other.problem, other._x = problem, problem.start(start)
        other._parameters = self._parameters_of(problem)
        other._bound = self._engine.bind(other._parameters.vector)
        if self._prior:
            other._prior = [make_initial_prior(self._window, problem.layout.views(other._x), prior or {})]
        return other

    def places_in_step(self, names: Collection[str]) -> list[int]:
        """Return the places of families' directions among those of a step."""
        return self._window.places_in_step(names)

    @property
    def values(self) -> dict[str, np.ndarray]:
        """Values of the window by family, `(W, *shape)`; of what is shared, `(1, *shape)`."""
        return self.problem.layout.unpack(self._x)

    @property
    def prior(self) -> tuple[Float[np.ndarray, "k k"], Float[np.ndarray, " k"]]:
        """Information and vector of the prior: it costs d' information d / 2 + vector'd, d away from where values are.

        Raises:
            InputError: the window is pinned.
        """
        if not self._prior:
            raise InputError("a pinned window has no prior")
        return move_prior(self._window, self.problem.layout.views(self._x), self._prior[0])[:2]

    def covariances(self) -> dict[str, Float[np.ndarray, "W n n"]]:
        """Return the covariance of each unknown of the window by itself, by family, in its directions.

        They are parts of the inverse of the Gauss-Newton matrix with the prior, where the values are now; zero for a
        first step that is held fast.

        Raises:
            InputError: factors and prior do not determine all unknowns.
        """
        joint, shared = self._joint(), self._window.shared
        dims = {v.name: v.manifold.dim for v in self.problem.families}
        found, start = {}, 0
        for name, _ in [*self._window.of_step(0), *shared]:
            part = joint[:, start : start + dims[name], start : start + dims[name]]
            found[name] = part[-1:] if (name, 0) in shared else part
            start += dims[name]
        return {v.name: found[v.name].copy() for v in self.problem.families}

    def covariance(self, step: int = -1) -> Float[np.ndarray, "n n"]:
        """Return the joint covariance of a step's unknowns and of what is shared, in the order of families.

        Families that have one unknown a step come first, then those that are shared. See `covariances`.

        Args:
            step: its number in the window, by default the last one.

        Raises:
            InputError: there is no such step, or factors and prior do not determine all unknowns.
        """
        if not -self._window.steps <= step < self._window.steps:
            raise InputError(f"step {step} is not in the window", why=f"it has {self._window.steps} steps")
        return self._joint()[step].copy()

    def spread(self, rows: Float[np.ndarray, "m n"]) -> Float[np.ndarray, "m m"]:
        """Return J P J' of functions of the window's last step; P is its joint covariance when `step` was called last.

        Large windows keep the factorisation of that Gauss-Newton step, so that this costs a substitution: P is then of
        values before it. Small windows are factored again.

        Args:
            rows: J, the functions' derivatives by the first n directions of the last step.

        Raises:
            InputError: factors and prior do not determine all unknowns.
        """
        n = rows.shape[1]
        if self._engine is not self._assembled or not np.isfinite(found := self._assembled.spread(rows)).all():
            return rows @ self.covariance()[:n, :n] @ rows.T
        return found

    def _joint(self) -> Float[np.ndarray, "W n n"]:
        bound = self._assembled.bind(self._parameters.vector)
        found = self._assembled.covariances(self._x, bound, self._prior)
        if found is None:
            raise InputError("the factors do not determine all unknowns of the window", fix="give a prior")
        if not self._window.pinned:
            return found
        first = np.zeros((1, *found.shape[1:]))
        own = found.shape[1] - sum(v.manifold.dim for v in self.problem.families if v.count == 1)
        first[0, own:, own:] = found[-1, own:, own:]
        return np.concatenate([first, found])

    def save(self, path: str | Path, **besides: Any) -> None:
        """Write values, parameters of factors and the prior to a .npz file, for `loaded`; arrays `besides`, too.

        The file is written as a whole or not at all.

        Raises:
            InputError: it cannot be written, or numbers are not finite.
        """
        save_window(Path(path), self._window, self._standing, besides)

    def loaded(self, path: str | Path) -> FixedLag:
        """Return a smoother of this one's problem that goes on where one was saved, to the last digit.

        Raises:
            InputError: the file cannot be read, is damaged, or is of another window.
        """
        return self.loaded_with(path)[0]

    def loaded_with(self, path: str | Path, **besides: Any) -> tuple[FixedLag, dict[str, np.ndarray]]:
        """Return a smoother that goes on, and arrays of these names, shapes and kinds that were saved besides.

        Raises:
            InputError: as `loaded`; or the file has none of these names.
        """
        found, more = load_window(Path(path), self._window, self._standing, besides)
        return self._with_standing(found), more

    def _with_standing(self, standing: WindowState) -> FixedLag:
        other = self.copy()
        other._x, other._parameters = standing.values, StepParameters(standing.parameters, self._parameters.places)
        other._prior = [standing.prior] if self._prior else []
        other._bound = self._engine.bind(other._parameters.vector)
        return other

    @property
    def _standing(self) -> WindowState:
        return WindowState(self._x, self._parameters.vector, self._prior[0] if self._prior else np.zeros(0))

    def functions(self, front: UpdateInputs | None = None) -> dict[str, Function]:
        """Return `start` and `update` for other programs (`sg.export_library`), which go on where this one stands.

        `update` takes the state and, for each parameter that steps have of their own, the new step's; it is `advance`
        and `step`: a predicted step, one Gauss-Newton step, which is left out where it is not finite. Results are the
        next state, the last step's values by family, and the cost before the step. A `front` has other arguments.

        Raises:
            InputError: the window is too large for code without loops.
        """
        standing = self._standing
        return export_window(self._window, standing, front or make_update_inputs(self._window, standing))

    @property
    def is_small(self) -> bool:
        """Whether code without loops pays."""
        return self._window.operations <= STRAIGHT

    @property
    def state(self) -> Float[np.ndarray, " n"]:
        """Where it stands, as `update` of its functions takes it."""
        return pack_state(self._window, self._standing)

    def standing_at(self, state: Float[np.ndarray, " n"]) -> FixedLag:
        """Return a smoother that goes on from a state."""
        return self._with_standing(unpack_state(self._window, self._standing, state))

    def solve(self) -> WindowStatus:
        """Optimise the window: Gauss-Newton, damped where a step does not lower the cost."""
        self._x, ended = optimise_window(self._newton, self._x, self.iterations, self.tolerance)
        return ended

    def step(self) -> WindowStatus:
        """Take one full Gauss-Newton step, and return the cost at its beginning: for estimates in a loop of fixed rate.

        Windows then converge over the updates that a state is in them. A step that is not finite is not taken.
        """
        self._x, ended = take_step(self._newton, self._x, self.tolerance)
        return ended

    def _newton(self, x: np.ndarray, damping: np.ndarray) -> tuple[np.ndarray, float, float]:
        return self._engine.newton(x, self._bound, self._prior, damping)

    def advance(
        self,
        values: Mapping[str, Any] | None = None,
        parameters: Given | None = None,
    ) -> Float[np.ndarray, " f"]:
        """Let the first step go and add one; return costs of the factors that left, by their place in the problem.

        Of a first step that is held fast, none are told.

        Args:
            values: of the new step, by family; those left out are predicted.
            parameters: of factors and parameters that each factor has its own of, {factors: {parameter: value}}: the
                value of the new step; the others move on by one.

        Raises:
            InputError: a name or a shape is wrong.
        """
        self._x, self._prior, left = self._engine.advance(self._x, self._bound, self._prior)
        for name, value in (values or {}).items():
            self._set_parameter(name, value)
        if parameters:
            self._parameters.shift(parameters)
            self._bound = self._engine.bind(self._parameters.vector)
        return left

    def revise(self, parameters: Given) -> None:
        """Give factors other parameters of their last step: {factors: {parameter: value}}.

        Raises:
            InputError: a name or a shape is wrong.
        """
        self._parameters.revise(parameters)
        self._bound = self._engine.bind(self._parameters.vector)

    def run(
        self, steps: int, parameters: Iterable[Given] | None = None
    ) -> tuple[dict[str, np.ndarray], list[WindowStatus]]:
        """Solve and advance `steps` times; return the last step of each window, by family, and how each ended."""
        families = [v for v in self.problem.families if v.count > 1]
        record = {v.name: np.empty((steps, *v.manifold.shape)) for v in families}
        ended, stream = [], iter(parameters) if parameters is not None else None
        for k in range(steps):
            self.advance(None, next(stream) if stream is not None else None)
            ended.append(self.solve())
            views = self.problem.layout.views(self._x)
            for v in families:
                record[v.name][k] = views[v.name][-1]
        return record, ended

    def _set_parameter(self, name: str, value: Any) -> None:
        views = self.problem.layout.views(self._x)
        if name not in views:
            raise InputError(f"there are no unknowns {name!r}", fix=f"there are {', '.join(views)}")
        array = validate_array(f"the new value of {name}", value)
        if array.shape != views[name].shape[1:]:
            raise InputError(f"the new value of {name} has the shape {array.shape}, expected {views[name].shape[1:]}")
        views[name][-1] = array

    def _parameters_of(self, problem: Problem) -> StepParameters:
        code = self._window.expressions
        return StepParameters(code.packed_parameters(problem.factors), code.parameter_places)


# What moves a window.


class WindowEngine(Protocol):
    """Steps of a window; `prior` is empty, or its numbers alone, see `first_prior`."""

    def bind(self, parameters: Float[np.ndarray, " p"]) -> Any:
        """Return parameters as `newton` and `advance` take them."""
        ...

    def newton(
        self, x: np.ndarray, bound: Any, prior: list[np.ndarray], damping: np.ndarray
    ) -> tuple[Float[np.ndarray, " s"], float, float]:
        """Return the end of a Gauss-Newton step, the cost at its beginning, and its largest entry."""
        ...

    def advance(
        self, x: np.ndarray, bound: Any, prior: list[np.ndarray]
    ) -> tuple[Float[np.ndarray, " s"], list[np.ndarray], Float[np.ndarray, " f"]]:
        """Return values moved on by one step, the prior on what is then the first, and costs of what left."""
        ...
