"""Quotients of polynomials of named lengths: coefficients of base parameters as formulas.

Terms of fractions are exact. Common factors are taken out where one polynomial divides the other, or a length all
terms.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from decimal import Context, Decimal, Inexact
from fractions import Fraction
from math import prod
from typing import Any

WRITTEN = 10
"""Digits of a fraction that are written; longer ones are rounded, like other numbers, to six."""
ROUNDING = 1e-12
"""Part of two float coefficients below which their sum is zero."""


@dataclass(frozen=True, order=True)
class Length:
    """A length (m) with a name, the file's value, and a value that no formula has by chance."""

    name: str
    nominal: float
    typical: float


Term = tuple[Length, ...]
"""A product of lengths, in order."""
Terms = dict[Term, "Fraction | float"]
ONE: Terms = {(): Fraction(1)}


class Ratio:
    """A quotient `top` / `bottom` of polynomials."""

    __slots__ = ("bottom", "top")

    def __init__(self, top: Terms, bottom: Terms | None = None) -> None:
        self.top, self.bottom = _reduce_fraction(top, bottom or ONE)

    @classmethod
    def from_value(cls, x: Any) -> Ratio:
        """Return a length or a number as a quotient."""
        if isinstance(x, Ratio):
            return x
        return cls({(x,): Fraction(1)} if isinstance(x, Length) else {(): x} if x else {})

    def __bool__(self) -> bool:
        return bool(self.top)

    def __float__(self) -> float:
        return float(self.evaluate(lambda length: length.typical))

    def __neg__(self) -> Ratio:
        return Ratio({term: -x for term, x in self.top.items()}, self.bottom)

    def __add__(self, other: Any) -> Ratio:
        b = Ratio.from_value(other)
        if self.bottom == b.bottom:
            return Ratio(_sum(self.top, b.top), self.bottom)
        return Ratio(_sum(_product(self.top, b.bottom), _product(b.top, self.bottom)), _product(self.bottom, b.bottom))

    def __sub__(self, other: Any) -> Ratio:
        return self + -Ratio.from_value(other)

    def __rsub__(self, other: Any) -> Ratio:
        return Ratio.from_value(other) - self

    def __mul__(self, other: Any) -> Ratio:
        b = Ratio.from_value(other)
        return Ratio(_product(self.top, b.top), _product(self.bottom, b.bottom))

    def __truediv__(self, other: Any) -> Ratio:
        b = Ratio.from_value(other)
        return Ratio(_product(self.top, b.bottom), _product(self.bottom, b.top))

    def __rtruediv__(self, other: Any) -> Ratio:
        return Ratio.from_value(other) / self

    __radd__, __rmul__ = __add__, __mul__

    @property
    def is_constant(self) -> bool:
        """Whether no length is in it."""
        return set(self.top) <= {()} and set(self.bottom) == {()}

    @property
    def is_exact(self) -> bool:
        """Whether all its numbers are fractions."""
        return all(isinstance(x, Fraction) for x in (*self.top.values(), *self.bottom.values()))

    def evaluate(self, value: Callable[[Length], Any]) -> Any:
        """Return it at values of lengths, numbers of any kind."""
        top = _evaluate_terms(self.top, value)
        return top if self.bottom == ONE else top / _evaluate_terms(self.bottom, value)

    def lengths(self) -> set[Length]:
        """Return the lengths in it."""
        return {length for terms in (self.top, self.bottom) for term in terms for length in term}

    @property
    def is_negative(self) -> bool:
        """Whether all its terms are subtracted."""
        return bool(self.top) and all(x < 0 for x in self.top.values())

    def __str__(self) -> str:
        top = _format_terms(self.top)
        if self.bottom == ONE:
            return top
        return f"{_format_grouped(self.top)}/{_format_grouped(self.bottom, is_last=True)}"

    def factor(self) -> str:
        """Return it as text that stands before a parameter."""
        return str(self) if self.bottom != ONE else _format_grouped(self.top)


def format_number(x: Fraction | float) -> str:
    """Return a number as text, a short decimal fraction as it is."""
    if isinstance(x, Fraction):
        context = Context(prec=WRITTEN)
        decimal = context.divide(Decimal(x.numerator), Decimal(x.denominator))
        if not context.flags[Inexact]:
            return f"{decimal.normalize():f}"
    return f"{float(x):.6g}"


def _evaluate_terms(terms: Terms, value: Callable[[Length], Any]) -> Any:
    return sum((float(x) * prod(value(length) for length in term) for term, x in terms.items()), 0.0)


def _sum(a: Terms, b: Terms) -> Terms:
    found = dict(a)
    for term, x in b.items():
        y = found.get(term, 0)
        total = y + x
        if not total or (isinstance(total, float) and abs(total) <= ROUNDING * (abs(x) + abs(y))):
            found.pop(term, None)
        else:
            found[term] = total
    return found


def _product(a: Terms, b: Terms) -> Terms:
    if ONE in (a, b):
        return b if a == ONE else a
    found: Terms = {}
    for s, x in a.items():
        found = _sum(found, {tuple(sorted((*s, *t))): x * y for t, y in b.items()})
    return found


def _reduce_fraction(top: Terms, bottom: Terms) -> tuple[Terms, Terms]:
    """Take out of both what divides both, as far as it is easily seen; the bottom's leading number is 1."""
    if not top or bottom == ONE:
        return top, ONE
    common = _common([*top, *bottom])
    top, bottom = _remove_common(top, common), _remove_common(bottom, common)
    whole = _divide_terms(top, bottom)
    if whole is not None:
        return whole, ONE
    turned = _divide_terms(bottom, top)
    if turned is not None:
        top, bottom = ONE, turned
    first = bottom[_leading(bottom)]
    return {t: x / first for t, x in top.items()}, {t: x / first for t, x in bottom.items()}


def _common(terms: Iterable[Term]) -> Counter[Length]:
    shared = [Counter(term) for term in terms]
    found = shared[0]
    for other in shared[1:]:
        found &= other
    return found


def _remove_common(terms: Terms, common: Counter[Length]) -> Terms:
    if not common:
        return terms
    return {tuple(sorted((Counter(term) - common).elements())): x for term, x in terms.items()}


def _leading(terms: Terms) -> Term:
    return max(terms, key=lambda term: (len(term), term))


def _divide_terms(a: Terms, b: Terms) -> Terms | None:
    """Return a / b where it is a polynomial: division by leading terms, of the highest degree."""
    lead, found, left = _leading(b), Terms(), dict(a)
    while left:
        term = _leading(left)
        rest = Counter(term)
        rest.subtract(Counter(lead))
        if min(rest.values(), default=0) < 0:
            return None
        own = {tuple(sorted(rest.elements())): left[term] / b[lead]}
        found = _sum(found, own)
        left = _sum(left, {t: -x for t, x in _product(own, b).items()})
        left.pop(term, None)
    return found


def _format_terms(terms: Terms) -> str:
    parts = list[str]()
    for term, x in sorted(terms.items(), key=lambda pair: (-len(pair[0]), pair[0])):
        sign = "-" if x < 0 else "+"
        powers = [n.name if k == 1 else f"{n.name}^{k}" for n, k in Counter(term).items()]
        factors = [*([] if abs(x) == 1 and term else [format_number(abs(x))]), *powers]
        parts += [*([sign] if parts else ["-"] if sign == "-" else []), " ".join(factors)]
    return " ".join(parts).replace("- ", "-", 1) if parts and parts[0] == "-" else " ".join(parts) or "0"


def _format_grouped(terms: Terms, is_last: bool = False) -> str:
    """Return terms as text, in brackets where there are several, or several factors at the end."""
    text = _format_terms(terms)
    return f"({text})" if len(terms) > 1 or (is_last and " " in text) else text
