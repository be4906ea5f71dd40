"""Fig. 10 of Chignoli et al. (2023): instructions of forward dynamics of two branches, by size of their loop.

The last panel is the case that the paper leaves to future work: two branches of local loops (belts), and a long loop
around them. Run: python examples/chignoli_2023_loop_size.py [--quick | --full]; the picture goes to `out/`.
"""

from __future__ import annotations

import chignoli_2023_common as common
from chignoli_2023_robots import branches, mixed

KINDS = {"coupling": "transmission", "rod": "connecting rod"}
PLACES: dict[int, tuple[int, ...]] = {5: (1, 2, 3, 4, 5), 10: (1, 2, 4, 6, 8, 10), 20: (2, 7, 13, 20)}
"""By the branches' depth: which links the loop ties."""
STAGES: tuple[int, ...] = (1, 2, 4, 6)
PUBLISHED = {1: 2494, 2: 2588, 4: 4291, 6: 9691, 8: 20515}
"""Constraint embedding at depth 10, a transmission between the i-th links."""
PUBLISHED_KKT = (3300, 3637)
"""Sparse KKT at depth 10, the least and the most of all these places."""

Sweep = dict[tuple[int, str, int], common.ByOrder]
"""Counts by depth, kind and place."""


def main() -> None:
    """Count, print the tables, draw."""
    asked = common.options(__doc__)
    places = {d: tuple(range(1, d + 1)) for d in PLACES} if asked.full else {5: (3,)} if asked.quick else PLACES
    stages = STAGES[:1] if asked.quick else STAGES
    cells = [(depth, kind, at) for depth in places for kind in KINDS for at in places[depth]]
    asked_for = [common.Question(branches, (depth, at, kind)) for depth, kind, at in cells]
    found = common.counts([*asked_for, *(common.Question(mixed, (n,)) for n in stages)], "forward dynamics")
    sweep = dict(zip(cells, found, strict=False))
    local_and_long = dict(zip(stages, found[len(cells) :], strict=True))
    report(sweep, local_and_long)
    draw(sweep, local_and_long)


def report(sweep: Sweep, local_and_long: dict[int, common.ByOrder]) -> None:
    """Print instructions, and auto's as a part of the better of the two others."""
    rows = []
    for (depth, kind, at), by_order in sweep.items():
        published = PUBLISHED.get(at) if (depth, kind) == (10, "coupling") else None
        rows.append((KINDS[kind], depth, at, *_cells(by_order), published))
    heads = (*common.ORDERS, "taken", "auto / better")
    title = "Instructions of forward dynamics (Chignoli et al., 2023, Fig. 10)"
    common.table(title, ("loop", "depth", "between links", *heads, "their program: embedding"), rows)
    rows = [(f"{n} belts a branch, one rod", *_cells(by_order)) for n, by_order in local_and_long.items()]
    common.table("Local and long loops together", ("robot", *heads), rows)


def _cells(by_order: common.ByOrder) -> tuple[object, ...]:
    numbers = {o: count.instructions for o, count in by_order.items()}
    better = min(numbers["embedding"], numbers["kkt"])
    return (*numbers.values(), by_order["auto"].order, common.ratio(numbers["auto"], better))


def draw(sweep: Sweep, local_and_long: dict[int, common.ByOrder]) -> None:
    """Draw a panel for each depth and kind, and one for local and long loops together."""
    depths = list(dict.fromkeys(cell[0] for cell in sweep))
    picture, axes = common.figure(len(KINDS), len(depths) + 1, (4.2 * len(depths) + 4.2, 7.5), sharey="col")
    for i, (kind, name) in enumerate(KINDS.items()):
        for j, depth in enumerate(depths):
            axis, joints = axes[i][j], {at: size(kind, at) for d, k, at in sweep if (d, k) == (depth, kind)}
            for order in common.ORDERS:
                line = [(bodies, sweep[depth, kind, at][order].instructions) for at, bodies in joints.items()]
                axis.plot(*zip(*line, strict=True), marker="o", markersize=4, **common.look(order))
            if (depth, kind) == (10, "coupling"):
                published(axis)
            axis.set(title=f"{name}, depth {depth}", xlabel="bodies in the loop")
            axis.set_xticks(list(joints.values()))
            common.log_ticks(axis)
        axes[i][0].set_ylabel("instructions of forward dynamics")
    panel(axes[0][-1], local_and_long)
    axes[1][-1].axis("off")
    axes[1][-1].legend(*legend_of(axes), loc="center", frameon=False)
    common.save(picture, "chignoli-2023-fig10-loop-size")


def size(kind: str, at: int) -> int:
    """Return how many bodies a loop has."""
    return 2 * at + (kind == "rod")


def published(axis) -> None:
    """Put the figures of their program in: hollow marks, a band."""
    look = {"facecolors": "none", "edgecolors": common.COLOURS["embedding"], "linewidths": 1.4}
    places = [size("coupling", at) for at in PUBLISHED]
    axis.scatter(places, list(PUBLISHED.values()), s=60, label="their program: embedding", **look)
    axis.axhspan(*PUBLISHED_KKT, color=common.COLOURS["kkt"], alpha=0.25, linewidth=0, label="their program: KKT")


def panel(axis, local_and_long: dict[int, common.ByOrder]) -> None:
    """Draw the robots that have local and long loops."""
    for order in common.ORDERS:
        numbers = [by_order[order].instructions for by_order in local_and_long.values()]
        axis.plot(list(local_and_long), numbers, marker="o", markersize=4, **common.look(order))
    axis.set(title="belts in two branches, a rod between", xlabel="belt stages in a branch")
    axis.set_xticks(list(local_and_long))
    common.log_ticks(axis)


def legend_of(axes) -> tuple[list, list[str]]:
    """Gather every label of all panels once."""
    found = {}
    for axis in axes.flat:
        found |= dict(zip(*reversed(axis.get_legend_handles_labels()), strict=True))
    return list(found.values()), list(found)


if __name__ == "__main__":
    main()
