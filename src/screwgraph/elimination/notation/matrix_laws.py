"""A printed law as an equation whose matrices have names."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from screwgraph.base.summary import one_line
from screwgraph.elimination.notation.matrix_products import MatrixProduct, Sum, parse_products, transpose_symbol


@dataclass(frozen=True)
class MatrixLaw:
    """An equation that must vanish: matrices by the labels of its unknowns, and what is known.

    It is solved for `label`; `is_original` says whether nothing was put into it yet.
    """

    __repr__ = one_line

    label: str
    terms: Mapping[str, Sum]
    constant: Sum
    is_original: bool


def parse_law(label: str, text: str, unknowns: Collection[str], is_original: bool) -> MatrixLaw | None:
    """Read `label = text`; None where the text is no sum of products that end with the unknowns."""
    terms: dict[str, Sum] = {}
    known: Sum = ()
    for word in (*parse_products(text), MatrixProduct((label,), -1)):
        matrices, vector = _split(word)
        if vector in unknowns:
            terms[vector] = (*terms.get(vector, ()), matrices)
        else:
            known = (*known, matrices * MatrixProduct((vector,)))
    return MatrixLaw(label, terms, known, is_original) if terms.keys() == set(unknowns) else None


def _split(word: MatrixProduct) -> tuple[MatrixProduct, str]:
    """Return matrices and the vector that they act on; `Fᵀ A` is `Aᵀ F`."""
    if len(word.symbols) == 2 and word.symbols[0].endswith("ᵀ") and not word.symbols[0].startswith("["):
        vector, matrix = word.symbols
        return MatrixProduct((transpose_symbol(matrix),), word.sign), transpose_symbol(vector)
    return MatrixProduct(word.symbols[:-1], word.sign), word.symbols[-1] if word.symbols else ""
