"""Fig. 8 of Chignoli et al. (2023): instructions of forward dynamics of chains of sub-mechanisms.

Run: python examples/chignoli_2023_chains.py [--quick | --full]; the picture goes to `out/`.
"""

from __future__ import annotations

from itertools import pairwise

import chignoli_2023_common as common
from chignoli_2023_robots import chain

KINDS = {"rotor": "link and rotor", "belt": "parallel belt", "four_bar": "four-bar"}
MARKS = {1: "o", 2: "s", 4: "^", 6: "D"}
DEPTHS = {1: (1, 2, 4, 7, 10), 2: (1, 2, 4), 4: (1, 2), 6: (1,)}
"""Depths by number of branches: closed positions of larger chains of four-bars take long to find."""
PUBLISHED = {
    ("rotor", 1, 1): (640, 1183),
    ("rotor", 1, 4): (1771, 3762),
    ("rotor", 1, 7): (2897, 8189),
    ("rotor", 4, 4): (5965, 27162),
    ("belt", 1, 1): (1381, 1843),
    ("belt", 1, 4): (4644, 10120),
    ("belt", 1, 7): (7909, 29789),
    ("belt", 4, 4): (17464, 140980),
    ("four_bar", 1, 1): (1492, 3411),
    ("four_bar", 1, 4): (5602, 14739),
    ("four_bar", 1, 7): (9712, 32481),
    ("four_bar", 4, 4): (21313, 105255),
}
"""Constraint embedding and sparse KKT, by kind, branches and depth."""

Chain = tuple[str, int, int]


def main() -> None:
    """Count, print the table, draw."""
    chosen = chains()
    asked = [common.Question(chain, (kind, depth, branches)) for kind, branches, depth in chosen]
    ours = dict(zip(chosen, common.counts(asked, "forward dynamics"), strict=True))
    report(ours)
    draw(ours)


def chains() -> list[Chain]:
    """Return kind, branches and depth of all chains that are asked for."""
    asked = common.options(__doc__)
    if asked.quick:
        return [(kind, 1, depth) for kind in KINDS for depth in (1, 2)]
    depths = {b: tuple(range(1, 11)) for b in MARKS} if asked.full else DEPTHS
    swept = [(kind, b, d) for kind in KINDS for b in MARKS for d in depths[b]]
    return list(dict.fromkeys([*swept, *PUBLISHED]))


def report(ours: dict[Chain, common.ByOrder]) -> None:
    """Print the instructions of each chain beside those of the paper's program, and what one more stage costs."""
    rows = []
    for key, by_order in ours.items():
        embedding, kkt = PUBLISHED.get(key, (None, None))
        numbers = [by_order[o].instructions for o in common.ORDERS]
        cells = (*numbers, by_order["auto"].order, embedding, kkt, common.ratio(numbers[-1], embedding))
        rows.append((KINDS[key[0]], *key[1:], *cells))
    heads = (
        "chain of",
        "branches",
        "depth",
        *common.ORDERS,
        "taken",
        "their program: embedding",
        "KKT",
        "auto / theirs",
    )
    common.table("Instructions of forward dynamics (Chignoli et al., 2023, Fig. 8)", heads, rows)
    for kind, name in KINDS.items():
        line = [(key[2], n["auto"].instructions) for key, n in ours.items() if key[:2] == (kind, 1)]
        steps = [(b[1] - a[1]) / (b[0] - a[0]) for a, b in pairwise(line[1:])]
        if steps:
            common.console.print(f"{name}: one more stage costs {min(steps):.0f} to {max(steps):.0f} instructions")


def draw(ours: dict[Chain, common.ByOrder]) -> None:
    """Draw one panel a kind, a line for each order and number of branches; those of their program hollow."""
    picture, axes = common.figure(1, len(KINDS), (13.0, 5.0), sharey=True)
    for axis, (kind, name) in zip(axes[0], KINDS.items(), strict=True):
        for (branches, mark), order in ((b, o) for b in MARKS.items() for o in common.ORDERS):
            line = [(k[2], n[order].instructions) for k, n in ours.items() if k[:2] == (kind, branches)]
            if line:
                axis.plot(*zip(*sorted(line), strict=True), marker=mark, markersize=5, **common.look(order))
        for (k, branches, depth), published in PUBLISHED.items():
            for order, number in zip(common.ORDERS, published, strict=False) if k == kind else ():
                look = {"facecolors": "none", "edgecolors": common.COLOURS[order], "marker": MARKS[branches]}
                axis.scatter([depth], [number], s=70, linewidths=1.4, **look)
        axis.set(title=name, xlabel="depth (stages in a branch)", xlim=(0.5, 10.5))
        axis.set_xticks(range(1, 11))
        common.log_ticks(axis)
    axes[0][0].set_ylabel("instructions of forward dynamics")
    legend(picture, axes[0][0])
    common.save(picture, "chignoli-2023-fig8-chains")


def legend(picture, axis) -> None:
    """Explain colours, marks and hollow marks, below the panels."""
    lines = [axis.plot([], [], **common.look(order))[0] for order in common.ORDERS]
    grey = {"color": "#444444", "linestyle": "none"}
    lines += [axis.plot([], [], marker=m, label=f"{b} branch{'es' * (b > 1)}", **grey)[0] for b, m in MARKS.items()]
    hollow = {"marker": "o", "markerfacecolor": "none", "markersize": 8, **grey}
    lines.append(axis.plot([], [], label="hollow: their program", **hollow)[0])
    picture.legend(handles=lines, loc="outside lower center", ncols=4, frameon=False)


if __name__ == "__main__":
    main()
