"""Functions in C that carry numbers of neighbouring passages of a loop to vectors and back, as transposed squares."""

from __future__ import annotations

from collections.abc import Iterator

TURNS = """#if defined(__has_builtin) && defined(__GNUC__)
#if __has_builtin(__builtin_shufflevector)
#define {upper}_TURNS
#endif
#endif
"""
GATHER = """/* Number i of passage k is at from[i + k * stride]; passages from `count` on are the first one again. */
static inline void {lower}_gather(const {scalar} *restrict from, long stride, int count, int n, {numbers} *restrict to)
{{
    int i = 0;
{turned}
    for (; i < n; ++i)
        for (int k = 0; k < {upper}_LANES; ++k) to[i].each[k] = from[i + (k < count ? k : 0) * stride];
}}
"""
SCATTER = """static inline void {lower}_scatter(
    const {numbers} *restrict from, int n, {scalar} *restrict to, long stride, int count)
{{
    int i = 0;
{turned}
    for (; i < n; ++i)
        for (int k = 0; k < {upper}_LANES; ++k)
            if (k < count) to[i + k * stride] = from[i].each[k];
}}
"""
SPREAD = """static inline void {lower}_spread(const {scalar} *restrict from, int n, {numbers} *restrict to)
{{
    for (int i = 0; i < n; ++i) to[i].all = from[i] - ({lower}_lanes){{0}};
}}
"""


def define_moves(lower: str, upper: str, scalar: str, widths: tuple[int, ...]) -> list[str]:
    """Return the definitions of what gathers, scatters and spreads numbers, for lanes of any of these widths."""
    text = TURNS.format(upper=upper)
    names = {"lower": lower, "upper": upper, "scalar": scalar, "numbers": f"{lower}_numbers"}
    for template, make in ((GATHER, _gather), (SCATTER, _scatter)):
        lines, test = [f"#ifdef {upper}_TURNS"], "#if"
        for width in widths:
            lines += [f"{test} {upper}_LANES == {width}", *make(width, lower)]
            test = "#elif"
        turned = "\n".join([*lines, "#endif", "#endif"])
        text += template.format(turned=turned, **names)
    return (text + SPREAD.format(**names)).split("\n")


def _gather(width: int, lower: str) -> Iterator[str]:
    rows = [f"*(const {lower}_loose *)(from + i + ({k} < count ? {k} : 0) * stride)" for k in range(width)]
    yield from _write_loop(width, lower, rows, [f"to[i + {k}].all = {{}};" for k in range(width)])


def _scatter(width: int, lower: str) -> Iterator[str]:
    rows = [f"from[i + {k}].all" for k in range(width)]
    stores = [f"if ({k} < count) *({lower}_loose *)(to + i + {k} * stride) = {{}};" for k in range(width)]
    yield from _write_loop(width, lower, rows, stores)


def _write_loop(width: int, lower: str, rows: list[str], stores: list[str]) -> Iterator[str]:
    """Yield a loop over squares, whose rows become columns: blocks off the diagonal change places, small ones first."""
    yield f"    for (; i + {width} <= n; i += {width}) {{"
    names = [f"a{k}" for k in range(width)]
    for name, row in zip(names, rows, strict=True):
        yield f"        const {lower}_lanes {name} = {row};"
    step, letters = 1, iter("bcdefg")
    while step < width:
        letter, found = next(letters), list(names)
        low = [width + p - step if p & step else p for p in range(width)]
        high = [width + p if p & step else p + step for p in range(width)]
        for i in (i for i in range(width) if not i & step):
            for k, order in ((i, low), (i + step, high)):
                picked = ", ".join(map(str, order))
                found[k] = f"{letter}{k}"
                ends = f"{names[i]}, {names[i + step]}"
                yield f"        const {lower}_lanes {found[k]} = __builtin_shufflevector({ends}, {picked});"
        names, step = found, 2 * step
    for name, store in zip(names, stores, strict=True):
        yield f"        {store.format(name)}"
    yield "    }"
