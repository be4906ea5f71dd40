"""Assembly of L D L^T of a chain of steps with a border: panels one after the other, vectors down the columns.

The panel of a step has a column for each of its d unknowns, of `height` rows: p for the step itself (d, then padding),
those of the next step but for the first `skipped`, which it does not touch, then those of the border. Columns are made
from the left to the right; then the panel's lower part is taken off the next panel and off the border's own matrix
(Golub & Van Loan, Matrix Computations, 4.1.2 and 4.5).

The solution of L D L^T x = b goes forwards and backwards along the same panels.
"""

from __future__ import annotations

from dataclasses import dataclass

from screwgraph.compiler.backends.llvm import Lanes
from screwgraph.compiler.kernels.dense.panel_writer import PanelWriter

UNROLLED = 16
"""Up to so many unknowns a step, all is written out; beyond, columns are loops, in groups as long as a vector."""

TILE = 4
"""Columns of the next panel that are updated together."""


@dataclass(frozen=True)
class ChainShape:
    """Unknowns `d` of a step and `b` of the border, on vectors of `width` doubles.

    The first `skipped` unknowns of a step, a multiple of the width, are not tied to the step before.
    """

    d: int
    b: int
    width: int
    skipped: int = 0

    @property
    def step(self) -> int:
        """Rows of a step, with padding."""
        return -(-self.d // self.width) * self.width

    @property
    def border(self) -> int:
        """Rows of the border, with padding."""
        return -(-self.b // self.width) * self.width

    @property
    def height(self) -> int:
        """Rows of a panel."""
        return self.lower + self.border

    @property
    def lower(self) -> int:
        """Rows of a panel above those of the border."""
        return 2 * self.step - self.skipped

    @property
    def panel(self) -> int:
        """Numbers of a panel."""
        return self.d * self.height

    @property
    def chunk(self) -> int:
        """Vectors that are kept in registers together."""
        return 20 if self.width == 8 else 10

    @property
    def lanes(self) -> Lanes:
        """The vectors."""
        return Lanes(self.width)


def emit_chain_factor(shape: ChainShape) -> str:
    """Return `@factor(panels, scratch, inverses, scales, border, firsts, ends, alone, N, tolerance)`: the first bad
    pivot, or -1.

    `scales` (N, d): a pivot not larger than tolerance times its scale is bad, and so is NaN.
    `inverses` (N, p) get 1 / pivots. `firsts` (N, 2): of steps beyond `UNROLLED`, the first column that is used, a
    multiple of the width; and the first of those that are taken off all later ones. What is before that stands alone,
    and is taken off the columns that it touches: `alone` lists it, column by column, up to `ends` (N d + 1).
    """
    w = PanelWriter(shape.lanes)
    w.do("%bad = alloca i64")
    w.do("store i64 -1, ptr %bad")
    with w.loop("%N") as steps:
        panel = w.address("%panels", w.value(f"mul i64 {steps.index}, {shape.panel}"))
        inverses = w.address("%inverses", w.value(f"mul i64 {steps.index}, {shape.step}"))
        first = w.value(f"mul i64 {steps.index}, {shape.d}")
        here = Panel(panel, inverses, first, *_firsts(w, shape, steps.index))
        for group in range(0, shape.d, shape.width):
            columns = min(shape.width, shape.d - group)
            if shape.d > UNROLLED:
                with w.loop(select_used(w, here.start, group, columns)) as each:
                    _column(w, shape, here, group, each.index)
            else:
                for lane in range(columns):
                    _column(w, shape, here, group, lane)
        _next_panel(w, shape, here)
        _border(w, shape, here)
    w.do("%first_bad = load i64, ptr %bad")
    w.do("ret i64 %first_bad")
    head = "ptr noalias %panels, ptr noalias %scratch, ptr noalias %inverses, ptr noalias %scales, ptr noalias %border"
    head += ", ptr noalias %firsts, ptr noalias %ends, ptr noalias %alone"
    lines = [f"define i64 @factor({head}, i64 %N, double %tolerance) {{", "entry:", *w.lines, "}"]
    return "\n".join(lines)


@dataclass(frozen=True)
class Panel:
    """Addresses of a step's columns and inverse pivots, the number of its first unknown, and its two `firsts`."""

    columns: str
    inverses: str
    first: str
    start: str
    tied: str


def _firsts(w: PanelWriter, shape: ChainShape, step: str) -> tuple[str, str]:
    if shape.d <= UNROLLED:
        return "0", "0"
    at = w.address("%firsts", w.value(f"mul i64 {step}, 2"))
    return w.value(f"load i64, ptr {at}"), w.value(f"load i64, ptr {w.address(at, 1)}")


def select_used(w: PanelWriter, start: str, group: int, columns: int) -> str:
    """Return how many of a group's columns are used: all or none."""
    return w.value(f"select i1 {w.value(f'icmp sle i64 {start}, {group}')}, i64 {columns}, i64 0")


def _column(w: PanelWriter, shape: ChainShape, panel: Panel, group: int, lane: int | str) -> None:
    """Make column group + lane: the part with the pivot first, since all others are divided by it."""
    V, height = shape.width, shape.height
    j = group + lane if isinstance(lane, int) else w.value(f"add i64 {group}, {lane}")
    at = j * height if isinstance(j, int) else w.value(f"mul i64 {j}, {height}")
    own, unscaled = w.address(panel.columns, at), w.address("%scratch", at)
    vectors = list(range(group // V, height // V))
    inverse = ""
    for start in range(0, len(vectors), shape.chunk):
        rows = vectors[start : start + shape.chunk]
        column = {v: w.load(own, v * V) for v in rows}
        column = _minus_earlier(w, shape, panel, column, j)
        inverse = inverse or _inverse(w, panel, w.lane(column[group // V], lane), j)
        for v, x in column.items():
            w.store(x, unscaled, v * V)
            scaled = w.multiply(x, inverse)
            w.store(w.keep_after(scaled, lane) if v == group // V else scaled, own, v * V)


def _minus_earlier(
    w: PanelWriter, shape: ChainShape, panel: Panel, column: dict[int, str], j: int | str
) -> dict[int, str]:
    """Subtract what the columns before column j take off it."""
    V, height = shape.width, shape.height
    if shape.d <= UNROLLED and isinstance(j, int):
        for k in range(j):
            factor = w.negative(w.splat(w.scalar(panel.columns, k * height + j)))
            column = {v: w.fma(w.load("%scratch", k * height + v * V), factor, x) for v, x in column.items()}
        return column
    here = w.value(f"add i64 {panel.first}, {j}")
    begin, end = (w.value(f"load i64, ptr {w.address('%ends', here, k)}") for k in range(2))
    across, listed = w.address(panel.columns, j), w.address("%alone", begin)
    with w.loop(w.value(f"sub i64 {end}, {begin}"), {str(v): x for v, x in column.items()}) as touching:
        k = w.value(f"load i64, ptr {w.address(listed, touching.index)}")
        touching.handed |= _minus(w, shape, across, k, touching.now)
    with w.loop(w.value(f"sub i64 {j}, {panel.tied}"), touching.now) as earlier:
        k = w.value(f"add i64 {earlier.index}, {panel.tied}")
        earlier.handed |= _minus(w, shape, across, k, earlier.now)
    return {v: earlier.now[str(v)] for v in column}


def _minus(w: PanelWriter, shape: ChainShape, across: str, k: str, column: dict[str, str]) -> dict[str, str]:
    """Subtract what column k takes off vectors of a later one, whose row of the panel is `across`."""
    at = w.value(f"mul i64 {k}, {shape.height}")
    factor, unscaled = w.negative(w.splat(w.scalar(w.address(across, at)))), w.address("%scratch", at)
    return {v: w.fma(w.load(unscaled, int(v) * shape.width), factor, x) for v, x in column.items()}


def _inverse(w: PanelWriter, panel: Panel, pivot: str, j: int | str) -> str:
    """Judge the pivot of column j, keep its inverse, and return that in every lane."""
    size = w.value(f"call double @llvm.fabs.f64(double {pivot})")
    here = w.value(f"add i64 {panel.first}, {j}")
    least = w.value(f"fmul double %tolerance, {w.scalar(w.address('%scales', here))}")
    good = w.value(f"fcmp ogt double {size}, {least}")
    before = w.value("load i64, ptr %bad")
    known = w.value(f"icmp sge i64 {before}, 0")
    keep = w.value(f"or i1 {good}, {known}")
    w.do(f"store i64 {w.value(f'select i1 {keep}, i64 {before}, i64 {here}')}, ptr %bad")
    inverse = w.value(f"fdiv double 1.0, {pivot}")
    w.store_scalar(inverse, w.address(panel.inverses, j))
    return w.splat(inverse)


def _next_panel(w: PanelWriter, shape: ChainShape, panel: Panel) -> None:
    """Take this panel's lower part off the next one's diagonal block and border rows."""
    V, p, height = shape.width, shape.step, shape.height
    target, below = w.address(panel.columns, shape.panel), p - shape.skipped
    for c in range(shape.skipped, shape.d, TILE):
        columns = range(c, min(c + TILE, shape.d))
        rows = [*range(c // V, p // V), *range(shape.lower // V, height // V)]
        source = {v: below + v * V if v < p // V else v * V for v in rows}
        places = {t: t * height for t in columns}
        _minus_product(w, shape, panel, target, source, places, {t: below + t for t in columns})


def _border(w: PanelWriter, shape: ChainShape, panel: Panel) -> None:
    """Take this panel's border rows off the border's own matrix."""
    V = shape.width
    for c in range(0, shape.b, TILE):
        columns = range(c, min(c + TILE, shape.b))
        source = {v: shape.lower + v * V for v in range(c // V, shape.border // V)}
        places = {t: t * shape.border for t in columns}
        _minus_product(w, shape, panel, "%border", source, places, {t: shape.lower + t for t in columns})


def _minus_product(
    w: PanelWriter,
    shape: ChainShape,
    panel: Panel,
    target: str,
    source: dict[int, int],
    places: dict[int, int],
    factors: dict[int, int],
) -> None:
    """Subtract, at `places` of columns t and vectors v of `target`, scratch rows times the panel's row `factors[t]`."""
    V, per = shape.width, max(1, shape.chunk // TILE)
    all_rows = list(source)
    for start in range(0, len(all_rows), per):
        rows = all_rows[start : start + per]
        sums = {f"s{t}_{v}": w.load(target, places[t] + v * V) for t in places for v in rows}

        def emit_update(
            now: dict[str, str], panel_k: str, scratch_k: str, offset: int, rows: list[int]
        ) -> dict[str, str]:
            left = {v: w.load(scratch_k, offset + source[v]) for v in rows}
            result = {}
            for t in places:
                factor = w.negative(w.splat(w.scalar(panel_k, offset + factors[t])))
                result |= {f"s{t}_{v}": w.fma(left[v], factor, now[f"s{t}_{v}"]) for v in rows}
            return result

        if shape.d <= UNROLLED:
            for k in range(shape.d):
                sums = emit_update(sums, panel.columns, "%scratch", k * shape.height, rows)
        else:
            with w.loop(w.value(f"sub i64 {shape.d}, {panel.start}"), sums) as earlier:
                at = w.value(f"mul i64 {w.value(f'add i64 {earlier.index}, {panel.start}')}, {shape.height}")
                earlier.handed |= emit_update(
                    earlier.now, w.address(panel.columns, at), w.address("%scratch", at), 0, rows
                )
            sums = earlier.now
        for t in places:
            for v in rows:
                w.store(sums[f"s{t}_{v}"], target, places[t] + v * V)


def emit_chain_solve(shape: ChainShape) -> str:
    """Return `@forward(panels, inverses, x, border, firsts, N)` and `@backward` of the same arguments.

    `x` is (N + 1, p); `forward` leaves D^-1 L^-1 b there and takes the chain's part off `border`, the right side of the
    border's equations; `backward` wants the border's solution there. `firsts` as for `@factor`. `N` steps.
    """
    return "\n".join([_function("forward", _forward(shape)), _function("backward", _backward(shape))])


def _function(name: str, writer: PanelWriter) -> str:
    head = (
        "ptr noalias %panels, ptr noalias %inverses, ptr noalias %x, ptr noalias %border, ptr noalias %firsts, i64 %N"
    )
    return "\n".join([f"define void @{name}({head}) {{", "entry:", *writer.lines, "  ret void", "}"])


def _forward(shape: ChainShape) -> PanelWriter:
    w, V, p, height = PanelWriter(shape.lanes), shape.width, shape.step, shape.height
    with w.loop("%N") as steps:
        panel = w.address("%panels", w.value(f"mul i64 {steps.index}, {shape.panel}"))
        at = w.value(f"mul i64 {steps.index}, {p}")
        x, inverses = w.address("%x", at), w.address("%inverses", at)
        own = [w.load(x, v) for v in range(0, p, V)]
        below = [w.load(x, v) for v in range(p + shape.skipped, 2 * p, V)]
        border = [w.load("%border", v) for v in range(0, shape.border, V)]
        all_rows = [*own, *below, *border]
        if shape.d > UNROLLED:
            all_rows = _forward_looped(w, shape, panel, _start(w, steps.index), all_rows)
        else:
            for j in range(shape.d):
                all_rows = _emit_elimination(w, w.address(panel, j * height), all_rows, j // V, j % V)
        for v in range(0, p, V):
            w.store(w.multiply(all_rows[v // V], w.load(inverses, v)), x, v)
        for v in range(p + shape.skipped, 2 * p, V):
            w.store(all_rows[(v - shape.skipped) // V], x, v)
        for v in range(0, shape.border, V):
            w.store(all_rows[(shape.lower + v) // V], "%border", v)
    return w


def _start(w: PanelWriter, step: str) -> str:
    """Return the first column of a step that is used."""
    return w.value(f"load i64, ptr {w.address('%firsts', w.value(f'mul i64 {step}, 2'))}")


def _forward_looped(w: PanelWriter, shape: ChainShape, panel: str, start: str, rows: list[str]) -> list[str]:
    V = shape.width
    for g in range(shape.step // V):
        count = select_used(w, start, g * V, min(V, shape.d - g * V))
        with w.loop(count, {f"r{v}": x for v, x in enumerate(rows)}) as columns:
            now = [columns.now[f"r{v}"] for v in range(len(rows))]
            j = w.value(f"add i64 {columns.index}, {g * V}")
            own = w.address(panel, w.value(f"mul i64 {j}, {shape.height}"))
            then = _emit_elimination(w, own, now, g, columns.index)
            columns.handed |= {f"r{v}": x for v, x in enumerate(then)}
        rows = now
    return rows


def _emit_elimination(w: PanelWriter, column: str, rows: list[str], g: int, lane: int | str) -> list[str]:
    """Subtract a column of L times the unknown in a lane of vector g."""
    V, factor = w.lanes.width, w.negative(w.spread(rows[g], lane))
    return rows[:g] + [w.fma(w.load(column, v * V), factor, rows[v]) for v in range(g, len(rows))]


def _backward(shape: ChainShape) -> PanelWriter:
    w, V, p = PanelWriter(shape.lanes), shape.width, shape.step
    with w.loop("%N", down=True) as steps:
        panel = w.address("%panels", w.value(f"mul i64 {steps.index}, {shape.panel}"))
        x = w.address("%x", w.value(f"mul i64 {steps.index}, {p}"))
        own_and_next = [*range(0, p, V), *range(p + shape.skipped, 2 * p, V)]
        rows = [w.load(x, v) for v in own_and_next] + [w.load("%border", v) for v in range(0, shape.border, V)]
        if shape.d > UNROLLED:
            rows = _backward_looped(w, shape, panel, _start(w, steps.index), rows)
        else:
            rows = _backward_unrolled(w, shape, panel, rows)
        for v in range(0, p, V):
            w.store(rows[v // V], x, v)
    return w


def _backward_looped(w: PanelWriter, shape: ChainShape, panel: str, start: str, rows: list[str]) -> list[str]:
    V = shape.width
    for g in reversed(range(shape.step // V)):
        count = select_used(w, start, g * V, min(V, shape.d - g * V))
        with w.loop(count, {"own": rows[g]}, down=True) as columns:
            now = [*rows[:g], columns.now["own"], *rows[g + 1 :]]
            j = w.value(f"add i64 {columns.index}, {g * V}")
            own = w.address(panel, w.value(f"mul i64 {j}, {shape.height}"))
            total = _product(w, own, now, range(g, len(rows)), "zeroinitializer")
            columns.handed["own"] = _less(w, now[g], columns.index, total)
        rows = now
    return rows


def _backward_unrolled(w: PanelWriter, shape: ChainShape, panel: str, rows: list[str]) -> list[str]:
    """Products with the next step and the border come first: they do not wait for one another."""
    V, own = shape.width, shape.step // shape.width
    columns = [w.address(panel, j * shape.height) for j in range(shape.d)]
    far = [_product(w, column, rows, range(own, len(rows)), "zeroinitializer") for column in columns]
    for j in reversed(range(shape.d)):
        total = _product(w, columns[j], rows, range(j // V, own), far[j])
        rows = [*rows[: j // V], _less(w, rows[j // V], j % V, total), *rows[j // V + 1 :]]
    return rows


def _product(w: PanelWriter, column: str, rows: list[str], vectors: range, total: str) -> str:
    for v in vectors:
        total = w.fma(w.load(column, v * w.lanes.width), rows[v], total)
    return total


def _less(w: PanelWriter, vector: str, lane: int | str, total: str) -> str:
    """Subtract the sum of a vector's numbers from one lane of another."""
    less = w.value(f"fsub double {w.lane(vector, lane)}, {w.sum(total)}")
    return w.replace(vector, lane, less)
