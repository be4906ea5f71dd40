"""Assembly of the solution of L D L^T x = b on panels; see `chain_factor`."""

from __future__ import annotations

from screwgraph.compiler.kernels.dense.chain_factor import UNROLLED, ChainShape, select_used
from screwgraph.compiler.kernels.dense.panel_writer import PanelWriter


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
