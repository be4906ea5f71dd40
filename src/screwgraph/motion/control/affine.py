"""Numbers that are affine in the unknowns u of a controller."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

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


def shift_affine(own: Affine, constants: Mapping[int, Number]) -> Affine:
    """Return an affine number where constants are added to what it is affine in."""
    row, added = own
    for k, x in constants.items():
        if k in row:
            added = added + row[k] * x
    return row, added


def blend_affine(flag: Number, yes: Affine, no: Affine) -> Affine:
    """Return one affine number where a flag is 1, the other where it is 0."""
    return combine_affine([(flag, yes), (1.0 - flag, no)], 0.0)
