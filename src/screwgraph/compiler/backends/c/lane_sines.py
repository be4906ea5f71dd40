"""Sines and cosines of lanes in C: of all at once where no angle is large, else of one after the other.

Of doubles alone: multiples of the first two parts of pi/2 are exact then, with and without fused operations.
"""

from __future__ import annotations

from collections.abc import Sequence

from screwgraph.compiler.backends.c.operations import format_number
from screwgraph.compiler.backends.sincos_constants import SINCOS, TWO_OVER_PI
from screwgraph.compiler.passes.angle_reduction import LARGE

TURNS = {"sin": 0, "cos": 1}
"""Quarters of a turn by which the sine is ahead."""
TOGETHER = """#if defined(__GNUC__) && !defined(__FAST_MATH__)
#ifndef {upper}_SINES
#define {upper}_SINES
/* The remainder r of multiples of pi/2 in three parts, then polynomials of r^2; see Cody & Waite (1980). */
static inline {lower}_lanes {lower}_lanes_sine({lower}_lanes a, int quarters)
{{
    const {lower}_lanes moved = a * {turns} + {round}, n = moved - {round};
    const {lower}_lanes r = ((a - n * {first}) - n * {second}) - n * {third};
    const {lower}_lanes z = r * r, zz = z * z;
    const {lower}_lanes s = r + z * r * ({sine});
    const {lower}_lanes c = {cosine};
    const {lower}_masks q = ({lower}_masks)moved + quarters;
    const {lower}_lanes v = {upper}_SELECT(-(q & 1), c, s);
    return {upper}_SELECT(-((q >> 1) & 1), -v, v);
}}
static inline int {lower}_lanes_near({lower}_lanes a)
{{
    const {lower}_masks far = ~({lower}_masks)((a <= {large}) & (a >= -{large}));
    int any = 0;
    for (int i = 0; i < {upper}_LANES; ++i) any |= far[i] != 0;
    return !any;
}}
#endif
static {lower}_lanes {lower}_lanes_{operation}_apart({lower}_lanes a);
static inline {lower}_lanes {lower}_lanes_{operation}({lower}_lanes a)
{{
    return {lower}_lanes_near(a) ? {lower}_lanes_sine(a, {quarters}) : {lower}_lanes_{operation}_apart(a);
}}
#define {upper}_NAME {lower}_lanes_{operation}_apart
#else
#define {upper}_NAME {lower}_lanes_{operation}
#endif
"""


def define_sine(operation: str, lower: str, upper: str, apart: str) -> str:
    """Return the definition of a sine or a cosine of lanes; `apart` is the one of one after the other."""
    own = SINCOS[64]
    first, second, third = map(_write, own.half_pi)
    text = TOGETHER.format(
        **{"lower": lower, "upper": upper, "operation": operation, "quarters": TURNS[operation]},
        **{"turns": _write(TWO_OVER_PI), "round": _write(own.round), "large": _write(LARGE)},
        **{"first": first, "second": second, "third": third},
        sine=_write_polynomial(own.sine),
        cosine=_write_polynomial((1.0, -0.5, *own.cosine)),
    )
    name = f"{lower}_lanes_{operation}("
    return f"{text}{apart.replace('static inline ', 'static ').replace(name, f'{upper}_NAME(')}#undef {upper}_NAME\n"


def _write(value: float) -> str:
    return format_number(value, "float64")


def _write_polynomial(coefficients: Sequence[float]) -> str:
    """Write a polynomial of z by pairs of terms (Estrin, 1960): chains of operations are short."""
    terms = [_write(x) for x in coefficients]
    pairs = [f"({' + z * '.join(terms[i : i + 2])})" for i in range(0, len(terms), 2)]
    found = pairs.pop()
    while pairs:
        found = f"({pairs.pop()} + zz * {found})"
    return found
