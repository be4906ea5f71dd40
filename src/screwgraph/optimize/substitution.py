"""Unknowns that are functions of others: factors on them become factors on those."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from jaxtyping import Int

from screwgraph.optimize import Factors, Selection, Variables
from screwgraph.optimize.batch import Batch


@dataclass(frozen=True)
class SubstitutedTemplate:
    """A template some of whose arguments are functions of unknowns; `places` are those of each argument's unknowns.

    Parameters of function number i are called `inner i name`.
    """

    template: Callable[..., Any]
    inner: tuple[Callable[..., Any] | None, ...]
    places: tuple[tuple[int, ...], ...]

    def __call__(self, *unknowns: Any, **parameters: Any) -> Any:
        """Return the template's residual."""
        outer = {name: value for name, value in parameters.items() if not name.startswith("inner ")}
        arguments = []
        for i, (function, places) in enumerate(zip(self.inner, self.places, strict=True)):
            chosen = [unknowns[k] for k in places]
            own = {n.removeprefix(f"inner {i} "): v for n, v in parameters.items() if n.startswith(f"inner {i} ")}
            arguments.append(chosen[0] if function is None else function(*chosen, **own))
        return self.template(*arguments, **outer)


@dataclass(frozen=True, eq=False)
class SubstitutionPiece:
    """The unknowns `indices` of a family as residuals of factors, in that order."""

    indices: Int[np.ndarray, " n"]
    factors: Factors


def substitute_family(
    factors: Sequence[Factors], family: Variables, pieces: Sequence[SubstitutionPiece]
) -> list[Factors]:
    """Return factors in which the unknowns of a family are replaced by what pieces say they are."""
    owner, row = np.full(family.count, -1), np.zeros(family.count, dtype=int)
    for i, piece in enumerate(pieces):
        owner[piece.indices], row[piece.indices] = i, np.arange(len(piece.indices))
    found: list[Factors] = []
    for f in factors:
        found += (
            [f]
            if family not in [a.variables for a in f.arguments]
            else _replace_arguments(f, family, pieces, owner, row)
        )
    return found


def _replace_arguments(
    f: Factors, family: Variables, pieces: Sequence[SubstitutionPiece], owner: np.ndarray, row: np.ndarray
) -> list[Factors]:
    """Return one group of factors for each choice of pieces that their arguments belong to."""
    at = [np.broadcast_to(a.indices, (len(f),)) if a.variables == family else None for a in f.arguments]
    kinds = np.stack([owner[i] for i in at if i is not None], axis=1)
    found = []
    for kind in np.unique(kinds, axis=0):
        members = np.flatnonzero((kinds == kind).all(axis=1))
        chosen = iter(kind.tolist())
        inner = [None if i is None else (pieces[next(chosen)].factors, row[i[members]]) for i in at]
        found.append(_compose_factors(_members(f, members), inner))
    return found


def _members(f: Factors, members: Int[np.ndarray, " n"]) -> Factors:
    """Return some factors of a group; parameters of each are those of its own."""
    if len(members) == len(f):
        return f
    arguments = tuple(a if len(a) == 1 else Selection(a.variables, a.indices[members]) for a in f.arguments)
    own = {n: v if len(v) == 1 else v[members] for n, v in f.each.items()}
    return replace(f, arguments=arguments, each=own)


def _compose_factors(f: Factors, inner: Sequence[tuple[Factors, Int[np.ndarray, " n"]] | None]) -> Factors:
    unknowns: dict[Any, tuple[int, Selection]] = {}
    functions: list[Callable[..., Any] | None] = []
    places: list[tuple[int, ...]] = []
    shared, own = dict(f.shared), dict(f.each)

    def place(selection: Selection) -> int:
        key = selection.variables, selection.indices.tobytes()
        return unknowns.setdefault(key, (len(unknowns), selection))[0]

    for i, (argument, function) in enumerate(zip(f.arguments, inner, strict=True)):
        if function is None:
            functions.append(None)
            places.append((place(argument),))
            continue
        part = _pick_rows(function[0], function[1])
        functions.append(part.template)
        places.append(tuple(place(a) for a in part.arguments))
        shared |= {f"inner {i} {n}": v for n, v in part.shared.items()}
        own |= {f"inner {i} {n}": v for n, v in part.each.items()}
    template = SubstitutedTemplate(f.template, tuple(functions), tuple(places))
    return replace(f, template=template, arguments=tuple(s for _, s in unknowns.values()), shared=shared, each=own)


def _pick_rows(f: Factors, rows: Int[np.ndarray, " n"]) -> Factors:
    arguments = tuple(a if len(a) == 1 else Selection(a.variables, a.indices[rows]) for a in f.arguments)
    return replace(f, arguments=arguments, each={n: v if len(v) == 1 else v[rows] for n, v in f.each.items()})


def evaluate_family(
    family: Variables, pieces: Sequence[SubstitutionPiece], values: Mapping[str, np.ndarray]
) -> np.ndarray:
    """Return the values of a family of which pieces say what it is."""
    found = np.zeros((family.count, *family.manifold.shape))
    for piece in pieces:
        batch = Batch(piece.factors, ())
        found[piece.indices] = piece.factors.kernels.residual(*batch.inputs(dict(values)))
    return found
