"""Assembly branches: closed positions with the same known coordinates, and how these go on along a motion."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

import numpy as np
from jaxtyping import Float

from screwgraph.base.errors import InputError
from screwgraph.motion.estimation.bayes.instant import close_at_known, complete_velocity
from screwgraph.motion.estimation.bayes.known_motion import KnownMotion
from screwgraph.motion.estimation.bayes.network_model import NetworkModel

TRIES = 40
"""Guesses from which closed positions are looked for."""
DISTINCT = 1e-6
"""Largest difference of coordinates, relative to their reach, of one position."""
NEAR = 2.0
"""Distance of two branches, in steps of the motion, at which a change point lies between: there either may go on."""
FAR = 5.0
"""Step that leaves a branch, in steps that were expected."""
MOST = 16
"""Ways through change points that are kept."""

Path = Float[np.ndarray, "steps nq"]


def find_branches(
    model: NetworkModel, q: Float[np.ndarray, " nq"], known: Float[np.ndarray, " nq"]
) -> Float[np.ndarray, "branches nq"]:
    """Return closed positions at which entries are known (the others NaN), that near q first.

    They are found by Newton steps from guesses all over; those beyond limits of joints are left out.
    """
    rng, reach, found = np.random.default_rng(0), model.reach, list[np.ndarray]()
    for k in range(TRIES if model.rank else 1):
        away = reach * rng.standard_normal(model.nv) if k else np.zeros(model.nv)
        guess = np.asarray(model.positions.retract(q, away), dtype=float)
        try:
            x = close_at_known(model, np.where(np.isnan(known), guess, known), known, reach)
        except (InputError, np.linalg.LinAlgError):
            continue
        x = _wind_back(model, q, x)
        is_new = all(_distance(model, x, y, reach) > DISTINCT for y in found)
        if is_new and model.is_assembled(x):
            found.append(x)
    return np.array(found).reshape(len(found), model.robot.nq)


def follow_branches(known: KnownMotion, starts: Sequence[Float[np.ndarray, " nq"]]) -> list[Path]:
    """Return positions along what is known, for each branch that begins at a start, and each way through change points.

    At a change point branches meet; the constraints lose rank there, and a motion may leave on either.
    """
    wanted, model = known.interpolate_positions(), known.model
    tracks = [[np.array(q)] for q in starts]
    meetings = list[tuple[int, int, int]]()
    for k in range(1, len(wanted)):
        guesses = [_go_ahead(model, track, wanted[k]) for track in tracks]
        for track, x in zip(tracks, _keep_apart(model, tracks, guesses, wanted[k]), strict=True):
            if x is not None and len(track) == k:
                track.append(x)
        meetings += [(k, i, j) for i, j in _find_meetings(model, tracks, k)]
    closest = _choose_closest(model, tracks, meetings)
    ways = [way for i in range(len(tracks)) for way in _list_ways(i, closest)]
    paths = [_compose(tracks, way, len(wanted)) for way in ways]
    return [path for path in paths if path is not None][:MOST]


def _wind_back(model: NetworkModel, q: Float[np.ndarray, " nq"], x: Float[np.ndarray, " nq"]) -> np.ndarray:
    """Return a position whose angles are within half a turn of those of q."""
    found = x.copy()
    for part in model.parts["q"]:
        if len(part.columns) == 1 and model.turns[part.rows[0]]:
            (i,) = part.columns
            found[i] -= 2.0 * np.pi * np.round((x[i] - q[i]) / (2.0 * np.pi))
    return found


def _distance(model: NetworkModel, x: np.ndarray, y: np.ndarray, reach: np.ndarray) -> float:
    off = np.asarray(model.positions.difference(x, _wind_back(model, x, y)), dtype=float)
    return float(np.abs(off / reach).max(initial=0.0))


def _go_ahead(
    model: NetworkModel, track: Sequence[np.ndarray], wanted: Float[np.ndarray, " nq"]
) -> tuple[np.ndarray, np.ndarray | None]:
    """Return where a track leads in a step, and the position there, None where the branch ends."""
    here = track[-1]
    change = np.asarray(model.positions.difference(here, np.where(np.isnan(wanted), here, wanted)), dtype=float)
    picked = model.mark_rows("q", ~np.isnan(wanted)[None])[0]
    if len(track) > 1:
        rate = np.asarray(model.positions.difference(track[-2], here), dtype=float)
    else:
        rate = complete_velocity(model, here, np.where(picked, change, np.nan), np.zeros(model.nv))
    ahead = np.asarray(model.positions.retract(here, np.where(picked, change, rate)), dtype=float)
    try:
        x = close_at_known(model, ahead, wanted, model.reach)
    except (InputError, np.linalg.LinAlgError):
        return ahead, None
    step = np.abs(np.asarray(model.positions.difference(here, x), dtype=float)).max(initial=0.0)
    expected = max(np.abs(rate).max(initial=0.0), np.abs(change).max(initial=0.0))
    return ahead, x if step <= FAR * expected + DISTINCT else None


def _keep_apart(
    model: NetworkModel,
    tracks: Sequence[Sequence[np.ndarray]],
    guesses: Sequence[tuple[np.ndarray, np.ndarray | None]],
    wanted: Float[np.ndarray, " nq"],
) -> list[np.ndarray | None]:
    """Return positions of tracks; where two have come to one position beside a change point, each to its own."""
    found = [x for _, x in guesses]
    for i, j in combinations(range(len(found)), 2):
        first, second, reach = found[i], found[j], model.reach
        if first is None or second is None or _distance(model, first, second, reach) > DISTINCT:
            continue
        every = find_branches(model, first, wanted)
        choices = [
            (sum(_distance(model, guesses[k][0], x, reach) for k, x in ((i, a), (j, b))), m, n)
            for m, a in enumerate(every)
            for n, b in enumerate(every)
            if m != n
        ]
        if choices:
            _, m, n = min(choices)
            expected = NEAR * np.abs(np.asarray(model.positions.difference(tracks[i][-1], first), dtype=float)).max()
            if _distance(model, every[m], every[n], np.ones(model.nv)) <= FAR * expected + DISTINCT:
                found[i], found[j] = every[m], every[n]
    return found


def _find_meetings(model: NetworkModel, tracks: Sequence[Sequence[np.ndarray]], k: int) -> Iterator[tuple[int, int]]:
    """Yield pairs of tracks that are nearer to each other at step k than the motion goes in a step."""
    ones = np.ones(model.nv)
    for i, j in combinations(range(len(tracks)), 2):
        if len(tracks[i]) > k < len(tracks[j]):
            step = max(_distance(model, tracks[n][k - 1], tracks[n][k], ones) for n in (i, j))
            if _distance(model, tracks[i][k], tracks[j][k], ones) <= NEAR * step:
                yield i, j


def _choose_closest(
    model: NetworkModel, tracks: Sequence[Sequence[np.ndarray]], meetings: Sequence[tuple[int, int, int]]
) -> list[tuple[int, int, int]]:
    """Return, of meetings of one pair at steps in a row, the closest."""
    ones, runs = np.ones(model.nv), list[list[tuple[int, int, int]]]()
    for k, i, j in sorted(meetings, key=lambda m: (m[1], m[2], m[0])):
        if runs and runs[-1][-1] == (k - 1, i, j):
            runs[-1].append((k, i, j))
        else:
            runs.append([(k, i, j)])
    closest = [min(run, key=lambda m: _distance(model, tracks[m[1]][m[0]], tracks[m[2]][m[0]], ones)) for run in runs]
    return sorted(closest)


def _list_ways(track: int, meetings: Sequence[tuple[int, int, int]], after: int = 0) -> Iterator[list[tuple[int, int]]]:
    """Yield the ways that begin on a track: steps from which on they follow tracks, first those that stay."""
    yield [(after, track)]
    for k, i, j in meetings:
        if k > after and track in (i, j):
            for way in _list_ways(j if track == i else i, meetings, k):
                yield [(after, track), *way]


def _compose(tracks: Sequence[Sequence[np.ndarray]], way: Sequence[tuple[int, int]], steps: int) -> Path | None:
    """Return the positions along a way; None where one of its branches ends before."""
    ends = [*(k for k, _ in way[1:]), steps]
    rows = list[np.ndarray]()
    for (start, i), end in zip(way, ends, strict=True):
        if len(tracks[i]) < end:
            return None
        rows += tracks[i][start:end]
    return np.array(rows)
