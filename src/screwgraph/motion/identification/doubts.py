"""Why an identification may be wrong: what its torques, residuals and parameters contradict, a sentence each."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float
from scipy.stats import t as student

from screwgraph.model.robot.parameters.friction import SLOW
from screwgraph.motion.identification.filtering import MotionSamples
from screwgraph.motion.identification.least_squares import Fit
from screwgraph.motion.identification.physical_consistency import ConsistentParameters
from screwgraph.motion.identification.recording import LONGEST_STEP
from screwgraph.motion.identification.regressor_equations import RegressorEquations

RARE = 1e-3
"""Probability of a doubt about values by chance: that of three standard deviations of one value, or less."""
SIGMAS = 3.0
"""Standard deviations between parameters and combinations, at least, that are doubted."""
MATTERS = 1e-3
"""Part of a coordinate's torque below which a difference of parameters does not matter."""
LOOSE = 1e-4
"""Weight of the prior by which bodies that are not real are told from a prior that is wrong."""
UNEXPLAINED = 0.5
"""Part of the torques held out, not explained, from which on a log is doubted."""
TENFOLD = 10.0
"""Times that torques may be larger or smaller than those of the file's parameters."""
LIKELY = 4.0
"""Standard deviations, and mean squares over those of noise, from which on something is not chance."""
CERTAIN = 6.0
"""Standard deviations of friction that is not modelled."""
VISIBLE = 0.02
"""Part of a coordinate's torque from which on a residual is looked at."""
APART = 0.05
"""Part of a column that other columns must leave, so that it is another cause."""
SLOWLY = 0.8
"""Autocorrelation of a torque over times that are short beside the motion's."""
CORRELATED = 0.5
"""Autocorrelation over such times from which on residuals are no noise of sensors."""
LONG = 60
"""Letters of a combination that are shown."""
LAGS, PAIRS = 20, 50
"""Samples over which correlations are looked for, and pairs of these that they need."""


@dataclass(frozen=True, eq=False)
class Evidence:
    """Evidence against an identification: some samples, what is left of torques held out, and the prior's values.

    `left` is what combinations leave of `torque`, `robot_left` what the parameters of real bodies leave, by coordinate.
    """

    eqs: RegressorEquations
    fit: Fit
    blocks: int
    prior: Float[np.ndarray, " rank"]
    kept: MotionSamples
    Y: Float[np.ndarray, "N n rank"]
    tau: Float[np.ndarray, "N n"]
    torque: Mapping[str, float]
    left: Mapping[str, float]
    robot_left: Mapping[str, float]

    def doubts(
        self, found: ConsistentParameters, loosely: Callable[[float], ConsistentParameters], unexcited: tuple[str, ...]
    ) -> list[str]:
        """Return all doubts; `loosely` finds bodies again with the prior at a part of its weight."""
        if not any(self.torque.values()) or not np.nan_to_num(self.kept.tau).any():
            return ["all torques are zero: so are parameters that explain them"]
        doubts = [
            *self._scale(),
            *self._velocities(),
            *self._find_unexplained(),
            *self._bodies(found, loosely),
            *self._residuals(),
        ]
        if unexcited:
            doubts.append(f"the motion does not show {len(unexcited)} of the combinations: {_short(unexcited[0])}")
        return doubts

    def _scale(self) -> Iterator[str]:
        """Compare torques with those of the prior's parameters: units, signs, columns."""
        R, y, rank = self.fit.R, self.fit.y, self.eqs.base.rank
        if np.linalg.norm(R @ self.fit.values) ** 2 < LIKELY * rank:
            yield "torques do not depend on the motion: check times and columns"
            return
        model = R @ self.prior
        size = float(np.linalg.norm(model))
        if not size:
            return
        scale, sigma = float(model @ y) / size**2, LIKELY / size
        check = "check units, signs, columns and gear ratios"
        if scale + sigma < 0.0:
            yield f"torques have the other sign than those of the file's parameters ({scale:.3g} times these): {check}"
        elif scale + sigma < 1.0 / TENFOLD or scale - sigma > TENFOLD:
            yield f"torques are {scale:.3g} times those of the file's parameters: {check}"

    def _find_unexplained(self) -> Iterator[str]:
        """Look for torques that should depend on the motion beyond their noise, and do not."""
        names, most = list[str](), max(self.torque.values())
        known = self.eqs.known_torques(self.kept) if self.eqs.has_known else np.zeros_like(self.tau)
        for j, (name, left) in enumerate(self.left.items()):
            own = np.isfinite(self.tau[:, j])
            Y, rest = self.Y[own, j], known[own, j]
            tau = self.tau[own, j] + rest
            size = float(np.sqrt((tau * tau).mean())) if rest.any() else self.torque[name]
            size = size or most  # without a motor, torques are zero
            if own.sum() < PAIRS or left <= VISIBLE * size:
                continue
            model = rest + Y @ self.prior
            found = _correlation(rest + Y @ self.fit.values, tau)
            usual = float(model.std() / np.hypot(model.std(), left))
            is_large = left > UNEXPLAINED * size and np.sqrt((model * model).mean()) > left
            is_other = bool(tau.any()) and found < UNEXPLAINED * usual - 2.0 / np.sqrt(len(tau))
            if is_large or is_other:
                names.append(f"{name} ({100.0 * left / size:.0f} %)")
        if names:
            yield f"torques of {', '.join(names)} are not explained: check units, signs and columns"

    def _velocities(self) -> Iterator[str]:
        """Compare velocities with differences of positions, of joints whose velocities are the rates of positions."""
        t, names = self.kept.t, list[str]()
        for name, place, own in self.eqs.model.rates():
            q, qd = self.kept.q[:, place], self.kept.qd[:, own]
            lag = _lag(t, qd) or _lag(t, q)
            middle = np.convolve(qd, np.ones(lag + 1) / (lag + 1), "valid")
            is_apart = _are_apart(t, lag) if lag else np.zeros(0, dtype=bool)
            if is_apart.sum() < PAIRS or not middle.any() or not np.ptp(q):
                continue
            if _correlation((q[lag:] - q[:-lag])[is_apart], middle[is_apart]) < UNEXPLAINED:
                names.append(name)
        if names:
            moved = ", ".join(dict.fromkeys(names))
            yield f"velocities of {moved} are not those of the positions: check columns and their order"

    def _bodies(self, found: ConsistentParameters, loosely: Callable[[float], ConsistentParameters]) -> Iterator[str]:
        """Compare combinations with those of the parameters of real bodies."""
        apart = self._find_farthest(found)
        if apart is None:
            return
        unreal = self._find_farthest(loosely(LOOSE))
        if unreal is not None:
            text, z = unreal
            yield f"no real body explains the torques: of all bodies, {text} is {z:.3g} standard deviations off"
        else:
            text, z = apart
            yield (
                f"the prior contradicts the torques: {text} is {z:.3g} standard deviations off; give priors, or less "
                "prior_weight"
            )
        parts = {name: 100.0 / size for name, size in self.torque.items() if size}
        names = [
            f"{name} ({parts[name] * left:.2g} %, the combinations {parts[name] * self.left[name]:.2g} %)"
            for name, left in self.robot_left.items()
            if left > max(2.0 * self.left[name], VISIBLE * self.torque[name])
        ]
        if names:
            yield f"the robot leaves torques of {', '.join(names)}"

    def _find_farthest(self, found: ConsistentParameters) -> tuple[str, float] | None:
        """Return the combination that is farthest from that of the parameters, and its distance in sigmas; or none."""
        base = self.eqs.base
        gap = np.abs(base.map @ found.values - self.fit.values)
        sigma = np.sqrt(np.maximum(np.diag(self.fit.covariance), 0.0)) / found.rounding
        seen = np.isfinite(self.tau)
        torque = (np.nan_to_num(self.tau) ** 2).sum(axis=0)
        effect = (seen[:, :, None] * self.Y**2).sum(axis=0) * gap**2
        shown = (effect > MATTERS**2 * torque[:, None]).any(axis=0) & (self.fit.unseen < MATTERS)
        z = np.where(shown & (sigma > 0.0), gap / np.where(sigma > 0.0, sigma, 1.0), 0.0)
        worst = int(np.argmax(z))
        least = max(SIGMAS, float(student.ppf(1.0 - RARE / (2.0 * base.rank), max(self.blocks - 1, 1))))
        return (_short(base.expressions[worst]), float(z[worst])) if z[worst] > least else None

    def _residuals(self) -> Iterator[str]:
        """Look for friction that is not modelled, and for residuals that change as slowly as the motion."""
        residual = self.tau - self.Y @ self.fit.values
        opposed, slow = list[str](), list[str]()
        for j, name in enumerate(self.eqs.rows):
            own = np.isfinite(residual[:, j])
            r, tau = residual[own, j], self.tau[own, j]
            if len(r) < PAIRS or np.sqrt((r * r).mean()) < VISIBLE * np.sqrt((tau * tau).mean()):
                continue
            t, Y, qd = self.kept.t[own], self.Y[own, j], self.kept.qd[own, self.eqs.free[j]]
            frictions = self.eqs.model.frictions(name)
            kind = _opposing(qd, r, Y, tau) if frictions else ""
            lag = _lag(t, Y @ self.fit.values)
            if kind:
                opposed.append(frictions.get(kind, frictions["damping"]))
            elif lag and _autocorrelation(t, r, lag) > CORRELATED:
                slow.append(name)
        if opposed:
            yield f"torques oppose the motion more than the model: are {', '.join(opposed)} parameters?"
        if slow:
            cause = "forces are not modelled, or positions are wrong"
            yield f"residuals of {', '.join(slow)} change as slowly as torques: {cause}"


def _opposing(
    qd: Float[np.ndarray, " N"],
    r: Float[np.ndarray, " N"],
    Y: Float[np.ndarray, "N rank"],
    tau: Float[np.ndarray, " N"],
) -> str:
    """Return the kind of friction that residuals certainly have, of what other columns do not explain; or nothing."""
    best, kind = 0.0, ""
    for name, column in (("friction", np.tanh(qd / SLOW)), ("damping", qd)):
        rest = column - Y @ np.linalg.lstsq(Y, column, rcond=1e-8)[0]
        square = float(rest @ rest)
        if square < APART * float(column @ column) or not square:
            continue
        level = float(rest @ r) / square
        left = r - level * rest
        sigma = np.sqrt(float(left @ left) / len(r) / square)
        size = level * np.sqrt(float(column @ column) / len(r))
        if level > CERTAIN * sigma and size > VISIBLE * np.sqrt((tau * tau).mean()) and level**2 * square > best:
            best, kind = level**2 * square, name
    return kind


def _lag(t: Float[np.ndarray, " N"], model: Float[np.ndarray, " N"]) -> int:
    """Return the samples over which a torque changes little, 0 where it changes from sample to sample."""
    lags = [lag for lag in range(1, LAGS + 1) if _autocorrelation(t, model, lag) >= SLOWLY]
    return max(lags, default=0)


def _autocorrelation(t: Float[np.ndarray, " N"], x: Float[np.ndarray, " N"], lag: int) -> float:
    """Return the correlation of numbers so many samples apart, of those whose times are; 0 where these are few."""
    is_apart = _are_apart(t, lag)
    return _correlation(x[:-lag][is_apart], x[lag:][is_apart]) if is_apart.sum() >= PAIRS else 0.0


def _are_apart(t: Float[np.ndarray, " N"], lag: int) -> Bool[np.ndarray, " m"]:
    """Return which samples have one so many samples later whose time is; none where samples have no times."""
    step = float(np.median(np.diff(t))) if len(t) > 1 else 0.0
    later = t[lag:] - t[:-lag]
    return (np.abs(later - lag * step) < 0.1 * step) & (step < LONGEST_STEP)


def _correlation(x: Float[np.ndarray, " N"], y: Float[np.ndarray, " N"]) -> float:
    """Return Pearson's correlation coefficient, 0 of what is constant."""
    x, y = x - x.mean(), y - y.mean()
    size = np.sqrt(float(x @ x) * float(y @ y))
    return float(x @ y) / size if size else 0.0


def _short(text: str) -> str:
    return text if len(text) <= LONG else f"{text[:LONG].rpartition(' ')[0]} ..."
