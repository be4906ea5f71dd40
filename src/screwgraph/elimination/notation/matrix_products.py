"""Sums of products of matrices, as the laws print them: `[Ad_T3,2(θ3)]ᵀ F3 + G2 V̇2 − G2 g2`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import takewhile

PLUS, MINUS = " + ", " − "


@dataclass(frozen=True)
class MatrixProduct:
    """A product of matrices and vectors, in this order, with a sign; without any it is the identity."""

    symbols: tuple[str, ...]
    sign: int = 1

    def __mul__(self, other: MatrixProduct) -> MatrixProduct:
        return MatrixProduct(self.symbols + other.symbols, self.sign * other.sign)


Sum = tuple[MatrixProduct, ...]


def parse_products(text: str) -> Sum:
    """Return the products of a printed law."""
    parts = re.split(r" ([+−]) ", text)
    signs = [1, *(1 if sign == "+" else -1 for sign in parts[1::2])]
    return tuple(MatrixProduct(tuple(part.split()), sign) for part, sign in zip(parts[::2], signs, strict=True))


def multiply_sums(left: Sequence[MatrixProduct], right: Sequence[MatrixProduct], sign: int = 1) -> Sum:
    """Multiply out."""
    return tuple(MatrixProduct((a * b).symbols, a.sign * b.sign * sign) for a in left for b in right)


def format_sum(words: Sequence[MatrixProduct]) -> str:
    """Print a sum, products with a plus first; what all of several begin with stands before a bracket."""
    ordered = sorted(words, key=lambda word: -word.sign)
    if not ordered:
        return "0"
    shared = _find_common_factor([word.symbols[:-1] for word in ordered]) if len(ordered) > 1 else ()
    if shared:
        sign = ordered[0].sign
        inside = format_sum([MatrixProduct(word.symbols[len(shared) :], sign * word.sign) for word in ordered])
        return f"{'−' if sign < 0 else ''}{' '.join(shared)} ({inside})"
    texts = [" ".join(word.symbols) or "1" for word in ordered]
    first = texts[0] if ordered[0].sign > 0 else f"−{texts[0]}"
    rest = (f"{PLUS if word.sign > 0 else MINUS}{text}" for word, text in zip(ordered[1:], texts[1:], strict=True))
    return first + "".join(rest)


def _find_common_factor(products: Sequence[tuple[str, ...]]) -> tuple[str, ...]:
    """Return the matrices that all products begin with."""
    columns = takewhile(lambda column: len(set(column)) == 1, zip(*products, strict=False))
    return tuple(column[0] for column in columns)


def transpose_symbol(symbol: str) -> str:
    """Return the transpose of a matrix."""
    return symbol.removesuffix("ᵀ") if symbol.endswith("ᵀ") else f"{symbol}ᵀ"
