"""Assembly of the solution of L D L^T x = b on panels; see `chain_factor`."""

from __future__ import annotations

from screwgraph.optimize.linear.assembly import Writer
from screwgraph.optimize.linear.chain_factor import Shape


def solve_text(shape: Shape) -> str:
    """Return `@forward(panels, inverses, x, border, N)` and `@backward` of the same arguments.

    `x` is (N + 1, p); `forward` leaves D^-1 L^-1 b there and takes the chain's part off `border`, the right side of the
    border's equations; `backward` wants the border's solution there. `N` steps.
    """
    return "\n".join([_function("forward", _forward(shape)), _function("backward", _backward(shape))])


def _function(name: str, writer: Writer) -> str:
    head = "ptr noalias %panels, ptr noalias %inverses, ptr noalias %x, ptr noalias %border, i64 %N"
    return "\n".join([f"define void @{name}({head}) {{", "entry:", *writer.lines, "  ret void", "}"])


def _forward(shape: Shape) -> Writer:
    w, V, p, height = Writer(shape.lanes), shape.width, shape.step, shape.height
    with w.loop("%N") as steps:
        panel = w.at("%panels", w.value(f"mul i64 {steps.index}, {shape.panel}"))
        at = w.value(f"mul i64 {steps.index}, {p}")
        x, inverses = w.at("%x", at), w.at("%inverses", at)
        own = [w.load(x, v) for v in range(0, p, V)]
        below = [w.load(x, v) for v in range(p, 2 * p, V)]
        border = [w.load("%border", v) for v in range(0, shape.border, V)]
        all_rows = [*own, *below, *border]
        for j in range(shape.d):
            factor = w.negative(w.spread(all_rows[j // V], j % V))
            for v in range(j // V, height // V):
                all_rows[v] = w.fma(w.load(panel, j * height + v * V), factor, all_rows[v])
        for v in range(0, p, V):
            w.store(w.multiply(all_rows[v // V], w.load(inverses, v)), x, v)
        for v in range(p, 2 * p, V):
            w.store(all_rows[v // V], x, v)
        for v in range(0, shape.border, V):
            w.store(all_rows[(2 * p + v) // V], "%border", v)
    return w


def _backward(shape: Shape) -> Writer:
    w, V, p, height = Writer(shape.lanes), shape.width, shape.step, shape.height
    with w.loop("%N", down=True) as steps:
        panel = w.at("%panels", w.value(f"mul i64 {steps.index}, {shape.panel}"))
        x = w.at("%x", w.value(f"mul i64 {steps.index}, {p}"))
        rows = [w.load(x, v) for v in range(0, 2 * p, V)] + [w.load("%border", v) for v in range(0, shape.border, V)]
        far = {}
        for j in range(shape.d):
            total = "zeroinitializer"
            for v in range(p // V, height // V):
                total = w.fma(w.load(panel, j * height + v * V), rows[v], total)
            far[j] = total
        for j in reversed(range(shape.d)):
            total = far[j]
            for v in range(j // V, p // V):
                total = w.fma(w.load(panel, j * height + v * V), rows[v], total)
            vector = rows[j // V]
            less = w.value(f"fsub double {w.lane(vector, j % V)}, {w.sum(total)}")
            rows[j // V] = w.value(f"insertelement {shape.lanes.real} {vector}, double {less}, i32 {j % V}")
        for v in range(0, p, V):
            w.store(rows[v // V], x, v)
    return w
