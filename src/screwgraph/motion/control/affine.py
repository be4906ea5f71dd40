"""Numbers that are affine in the unknowns u of a controller."""

from __future__ import annotations

from collections.abc import Sequence

from screwgraph.spatial import choose
from screwgraph.tape import Number, Row, is_zero
from screwgraph.tape.sparse_rows import add_entry

Affine = tuple[Row, Number]
"""A number that is affine in u: what multiplies u, and what is added."""


def combine_affine(terms: Sequence[tuple[Number, Affine]], added: Number) -> Affine:
    """Return a sum of affine numbers, each times a number."""
    row: Row = {}
    for factor, (own, constant) in terms:
        if is_zero(factor):
            continue
        for k, x in own.items():
            add_entry(row, k, factor * x)
        added = added + factor * constant
    return row, added


def scale_affine(own: Affine, factor: Number) -> Affine:
    """Return a multiple of an affine number."""
    return combine_affine([(factor, own)], 0.0)


def blend_affine(flag: Number, yes: Affine, no: Affine) -> Affine:
    """Return one affine number where a flag is 1, the other where it is 0."""
    row: Row = {}
    for k in {**yes[0], **no[0]}:
        add_entry(row, k, choose(flag > 0.5, yes[0].get(k, 0.0), no[0].get(k, 0.0)))
    return row, choose(flag > 0.5, yes[1], no[1])
