"""Pose graphs in g2o files, in the plane and in space: a line in `KINDS` for each.

Kuemmerle et al., g2o: A general framework for graph optimization (2011). Residuals are logarithms of poses, as GTSAM's.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from screwgraph.api.interop.pose_graph import Between, Keyed, Prior
from screwgraph.base.argument_checks import check_arguments
from screwgraph.base.errors import InputError, ModelError
from screwgraph.model.formats import read_bytes, write_atomically
from screwgraph.model.formats.diagnostics import Place, parse_number, quote_text
from screwgraph.optimize import Factors, Problem, Variables, each, equality, soft
from screwgraph.optimize.whitening import INVERSE_SIGMA, WHITENING
from screwgraph.spatial.manifolds import SE2, SE3, FloatingPose, Manifold

FIX = "FIX"
"""Lines of vertices that stay where they are."""
DIGITS = 18
"""Of the number of a vertex."""
FARTHEST, SHARPEST = 1e15, 1e30
"""Numbers of a pose (m, rad), and of information matrices, beyond which there is an error in the file."""


@dataclass(frozen=True)
class Kind:
    """Poses of one kind: names of their lines, the order of directions there, poses from numbers and back."""

    family: str
    manifold: Manifold
    vertex: str
    edge: str
    order: Sequence[int]
    numbers: int
    read: Callable[[np.ndarray], np.ndarray]
    written: Callable[[np.ndarray], np.ndarray]


def _pose(numbers: np.ndarray) -> np.ndarray:
    coordinates = FloatingPose()
    return np.asarray(coordinates.to_transform(coordinates.normalise(numbers)), dtype=float)


def _numbers(T: np.ndarray) -> np.ndarray:
    return np.asarray(FloatingPose().of_transform(T), dtype=float)


KINDS = (
    Kind("pose2", SE2(), "VERTEX_SE2", "EDGE_SE2", (0, 1, 2), 3, np.array, np.array),
    Kind("pose3", SE3(), "VERTEX_SE3:QUAT", "EDGE_SE3:QUAT", (3, 4, 5, 0, 1, 2), 7, _pose, _numbers),
)
"""Poses in the plane (x, y, heading), and in space (x, y, z, quaternion x, y, z, w)."""


@dataclass
class _Lines:
    """Lines of a file about poses of one kind."""

    vertices: dict[int, np.ndarray] = field(default_factory=dict)
    ends: list[tuple[int, int]] = field(default_factory=list)
    measured: list[np.ndarray] = field(default_factory=list)
    roots: list[np.ndarray] = field(default_factory=list)
    places: list[Place] = field(default_factory=list)


@check_arguments
def read_g2o(path: str | os.PathLike[str]) -> Keyed:
    """Return the pose graph of a g2o file: families `pose2` or `pose3`, keys that are the vertices' numbers.

    Factors are `between`; vertices that are fixed are hard factors `fixed`.

    Raises:
        ModelError: the file is missing or no pose graph, with the line.
    """
    file = os.fspath(path)
    found: dict[str, _Lines] = {}
    fixed: list[tuple[int, Place]] = []
    for line, text in enumerate(read_bytes(Path(path), file).decode("utf-8", "replace").splitlines(), start=1):
        words = text.split("#")[0].split()
        if words:
            _read_line(words, Place(file, line), found, fixed)
    if not any(lines.ends for lines in found.values()):
        raise ModelError("there are no edges", at=Place(file), fix="name a pose graph with EDGE_SE2 or EDGE_SE3:QUAT")
    factors, families, start, keys = [], [], {}, {}
    for kind in (k for k in KINDS if k.family in found):
        own = found[kind.family]
        keys[kind.family] = tuple(sorted(own.vertices))
        start[kind.family] = np.array([own.vertices[key] for key in keys[kind.family]])
        families.append(Variables(kind.family, kind.manifold, len(own.vertices)))
        factors += _factors(kind, own, families[-1], keys[kind.family])
        factors += _make_fixed_factors(kind, families[-1], keys[kind.family], start[kind.family], fixed)
    for key, at in fixed:
        if not any(key in own for own in keys.values()):
            raise ModelError(f"there is no vertex {key}", at=at)
    return Keyed(Problem(factors, families), start, keys)


def _read_line(words: list[str], at: Place, found: dict[str, _Lines], fixed: list[tuple[int, Place]]) -> None:
    if words[0] == FIX:
        fixed += [(_whole(word, at), at) for word in words[1:]]
        return
    for kind in KINDS:
        if words[0] == kind.vertex:
            lines = found.setdefault(kind.family, _Lines())
            _expect(words, 2 + kind.numbers, at)
            key = _whole(words[1], at)
            if key in lines.vertices:
                raise ModelError(f"vertex {key} stands in the file twice", at=at, fix="keep one of the lines")
            lines.vertices[key] = _value(kind, words[2:], at)
            return
        if words[0] == kind.edge:
            lines, n = found.setdefault(kind.family, _Lines()), kind.manifold.dim
            _expect(words, 3 + kind.numbers + n * (n + 1) // 2, at)
            ends = (_whole(words[1], at), _whole(words[2], at))
            if ends[0] == ends[1]:
                raise ModelError(
                    f"the edge leads from vertex {ends[0]} to itself",
                    at=at,
                    why="it measures nothing that could be found",
                    fix="remove the line",
                )
            lines.ends.append(ends)
            lines.measured.append(_value(kind, words[3 : 3 + kind.numbers], at))
            lines.roots.append(
                _root(kind, [_read_limited(w, "the information", SHARPEST, at) for w in words[3 + kind.numbers :]], at)
            )
            lines.places.append(at)
            return
    known = ", ".join([*(tag for kind in KINDS for tag in (kind.vertex, kind.edge)), FIX])
    raise ModelError(
        f"the line begins with {quote_text(words[0])}", at=at, why="it is not known here", fix=f"known: {known}"
    )


def _expect(words: list[str], count: int, at: Place) -> None:
    if len(words) != count:
        raise ModelError(f"{words[0]} with {len(words) - 1} numbers", at=at, why=f"it needs {count - 1}")


def _whole(word: str, at: Place) -> int:
    if not (word.isdecimal() and len(word) <= DIGITS):
        raise ModelError(
            f"the number of a vertex is {quote_text(word)}",
            at=at,
            fix=f"write it like 12, with at most {DIGITS} digits",
        )
    return int(word)


def _read_limited(word: str, what: str, largest: float, at: Place) -> float:
    """Read a number. Raises ModelError where it is none, or so large that squares of sums would lose all digits."""
    value = parse_number(word, what, at)
    if abs(value) > largest:
        raise ModelError(f"{what} is {quote_text(word)}", at=at, why=f"numbers of pose graphs are at most {largest:g}")
    return value


def _value(kind: Kind, words: list[str], at: Place) -> np.ndarray:
    try:
        return kind.read(np.array([_read_limited(w, "a pose", FARTHEST, at) for w in words]))
    except InputError as error:
        raise ModelError(error.what, at=at, why=error.why, fix=error.fix) from None


def _root(kind: Kind, entries: list[float], at: Place) -> np.ndarray:
    """Return W with W'W the information, in our order of directions."""
    n = kind.manifold.dim
    information = np.zeros((n, n))
    information[np.triu_indices(n)] = entries
    whole = information + np.triu(information, 1).T
    ours = whole[np.ix_(kind.order, kind.order)]
    try:
        return np.linalg.cholesky(ours).T
    except np.linalg.LinAlgError:
        raise ModelError("the information is not positive definite", at=at, fix="write its upper triangle") from None


def _factors(kind: Kind, own: _Lines, family: Variables, keys: tuple[int, ...]) -> list[Factors]:
    if not own.ends:
        return []
    places = {key: i for i, key in enumerate(keys)}
    for ends, at in zip(own.ends, own.places, strict=True):
        for key in ends:
            if key not in places:
                raise ModelError(f"there is no vertex {key}", at=at, fix=f"add a line {kind.vertex}")
    ends = np.array([[places[key] for key in pair] for pair in own.ends])
    before, after, roots = family[ends[:, 0]], family[ends[:, 1]], each(np.array(own.roots))
    z = each(np.array(own.measured))
    return [soft(Between(kind.manifold), before, after, z=z, sqrt_information=roots, name="between")]


def _make_fixed_factors(
    kind: Kind, family: Variables, keys: tuple[int, ...], start: np.ndarray, fixed: list[tuple[int, Place]]
) -> list[Factors]:
    places = {key: i for i, key in enumerate(keys)}
    chosen = sorted({places[key] for key, _ in fixed if key in places})
    if not chosen:
        return []
    return [equality(Prior(kind.manifold), family[chosen], z=each(start[chosen]), name="fixed")]


@check_arguments
def write_g2o(path: str | os.PathLike[str], problem: Problem, values: Mapping[str, Any], keys: Any = None) -> None:
    """Write a pose graph to a g2o file, all digits: relative poses `Between`, and poses that are fixed.

    Args:
        path: of the file.
        problem: of factors `Between(SE2())`, `Between(SE3())`, and hard `Prior` at the values themselves.
        values: by family.
        keys: by family, the vertices' numbers; by default families are counted through.

    Raises:
        InputError: there are other factors or losses, or the file cannot be written.
    """
    views, lines = problem.layout.views(problem.start(values)), []
    kinds = {kind.manifold: kind for kind in KINDS}
    numbers, first = {}, 0
    for v in problem.families:
        if v.manifold not in kinds:
            raise InputError(f"{v.name}: g2o files have no vertices that are {v.manifold.kind}", fix="use SE2 or SE3")
        kind = kinds[v.manifold]
        numbers[v.name] = range(first, first + v.count) if keys is None else keys[v.name]
        first += v.count
        for key, x in zip(numbers[v.name], views[v.name], strict=True):
            lines.append(_line(kind.vertex, [key], kind.written(x)))
    for f in problem.factors:
        lines += _lines(f, kinds, numbers)
    write_atomically(Path(path), ("\n".join(lines) + "\n").encode(), os.fspath(path))


def _lines(f: Factors, kinds: Mapping[Manifold, Kind], numbers: Mapping[str, Sequence[int]]) -> list[str]:
    template = f.template
    keys = [[numbers[a.variables.name][i] for i in np.broadcast_to(a.indices, (len(f),))] for a in f.arguments]
    if f.kind == "equality" and isinstance(template, Prior):
        return [f"{FIX} {key}" for key in keys[0]]
    if not isinstance(template, Between) or template.manifold not in kinds or f.kind != "soft" or f.loss is not None:
        raise InputError(f"{f.name}: g2o files have no such factor", fix="use soft `Between` without losses")
    kind, n = kinds[template.manifold], template.manifold.dim
    z, W = _of_each(f, "z"), _whitening(f, n)
    back = np.argsort(kind.order)
    information = np.einsum("kji,kjl->kil", W, W)[:, back][:, :, back]
    upper = information[:, *np.triu_indices(n)]
    ends = zip(*keys, strict=True)
    return [_line(kind.edge, e, [*kind.written(x), *u]) for e, x, u in zip(ends, z, upper, strict=True)]


def _of_each(f: Factors, name: str) -> np.ndarray:
    array = f.each[name] if name in f.each else f.shared[name][None]
    return np.broadcast_to(array, (len(f), *array.shape[1:]))


def _whitening(f: Factors, n: int) -> np.ndarray:
    """Return W (N, n, n) with W'W the information of each factor."""
    if WHITENING in f.each or WHITENING in f.shared:
        return _of_each(f, WHITENING)
    if INVERSE_SIGMA in f.each or INVERSE_SIGMA in f.shared:
        inverse = _of_each(f, INVERSE_SIGMA)
        return np.eye(n) * (inverse[:, None, :] if inverse.ndim == 2 else inverse[:, None, None])
    return np.broadcast_to(np.eye(n), (len(f), n, n))


def _line(tag: str, keys: Sequence[int], numbers: Sequence[float] | np.ndarray) -> str:
    return " ".join([tag, *map(str, keys), *(repr(float(x)) for x in numbers)])
