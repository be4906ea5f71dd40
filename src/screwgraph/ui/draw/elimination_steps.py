"""Graph and DAG between eliminations (Xie & Dellaert (2019), Fig. 5)."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Mapping, Sequence
from itertools import accumulate, groupby, pairwise
from typing import TYPE_CHECKING

import numpy as np

from screwgraph.base.errors import InputError
from screwgraph.base.progress_report import report_progress
from screwgraph.elimination import Dag
from screwgraph.graph import FactorGraph, Key
from screwgraph.ui.draw import style
from screwgraph.ui.draw.bezier_curves import sample_curve
from screwgraph.ui.draw.dag import COMPUTED, colour_node, make_arrows, make_legend
from screwgraph.ui.draw.graph import (
    arrange_graph,
    factor_name,
    make_closure_legend,
    make_factor_nodes,
    make_variable_nodes,
)
from screwgraph.ui.draw.layout import Layout, find_free_place
from screwgraph.ui.draw.legend import Item, with_legend
from screwgraph.ui.draw.math_labels import make_labels
from screwgraph.ui.draw.render import render
from screwgraph.ui.draw.routing import Connection, Obstacles, count_hindrance, route_edges
from screwgraph.ui.draw.scene import Point, Scene, Text, merge_scenes, shift_scene, text_width

if TYPE_CHECKING:
    from screwgraph.ui.draw.drawing import Drawing


MOST_PANELS = 16
"""Panels that are chosen for the caller at most."""

GAP, TITLE = 34.0, 22.0

Line = tuple[Point, Point]

Ends = Mapping[int, Sequence[Point]]
"""The variables that each factor touches."""

BESIDE = 3.0 * style.RADIUS
"""Points from a variable to a factor of its own."""

SLOPE = 0.22
"""Rise of the flattest edge from a row of factors: enough to pass over the neighbour of the variable where it ends."""


def draw_steps(dag: Dag, which: Sequence[int] | None = None) -> Drawing:
    """Draw the remaining graph, and the DAG so far, after some eliminations. Xie & Dellaert (2019), Fig. 5.

    Colours and arrows are those of `draw_dag`; what is not yet eliminated is white, its factors are dots.

    Args:
        dag: the elimination.
        which: numbers of eliminated variables, 0 to all, a panel each. By default a panel whenever the order
            goes on to another kind of variable (in long orders: to another link), and one after the first
            variable of kinds in the middle, which for the RRR arm in Newton-Euler order gives Fig. 5a to d.

    Raises:
        InputError: an entry of `which` is no number of eliminated variables.
    """
    return render(steps_scene(dag, which))


def steps_scene(dag: Dag, which: Sequence[int] | None = None) -> Scene:
    """Arrange the panels; see `draw_steps`."""
    chosen = choose_steps(dag) if which is None else _validate_steps(which, len(dag.order))
    places = arrange_graph(dag.graph, gravity=True)
    panels = []
    for number, step in enumerate(chosen):
        report_progress("drawing steps of the elimination", number / len(chosen))
        panels.append(_panel(dag, places, step))
    titles = [_title(dag, n, first, last) for n, (first, last) in enumerate(pairwise([0, *chosen]))]
    white: list[Item] = [("circle", "not yet eliminated", style.PLAIN), ("dot", "factor", style.PLAIN)]
    return with_legend(_table(panels, titles), [*white, *make_closure_legend(dag.graph), *make_legend(dag, COMPUTED)])


def choose_steps(dag: Dag) -> list[int]:
    """Choose the panels that tell most; see `draw_steps`."""
    total = len(dag.order)
    if not total:
        return [0]
    runs = _run_ends([key.kind for key in dag.order])
    middle = [start + 1 for start in runs[:-2]]
    for steps in (sorted({*runs, *middle}), _run_ends([dag.graph.variables[key].index for key in dag.order])):
        if len(steps) <= MOST_PANELS:
            return steps
    return sorted({round(total * (n + 1) / MOST_PANELS) for n in range(MOST_PANELS)})


def _run_ends(values: Sequence[Hashable]) -> list[int]:
    """Count entries up to the end of each run of equal ones."""
    return list(accumulate(len(list(run)) for _, run in groupby(values)))


def _validate_steps(which: Sequence[int], total: int) -> list[int]:
    for step in which:
        if not isinstance(step, int) or not 0 <= step <= total:
            raise InputError(
                f"expected a number of eliminated variables, got {step!r}", fix=f"name numbers from 0 to {total}"
            )
    if not which:
        raise InputError("there is no step to draw", fix=f"name numbers from 0 to {total}")
    return sorted(set(which))


def _panel(dag: Dag, places: Layout, step: int) -> Scene:
    state = dag.states[step]
    done = set(state.eliminated)
    variables = zip(make_variable_nodes(dag.graph, places), places.variables, strict=True)
    nodes = [colour_node(node, key) if key in done else node for node, key in variables]
    numbers = {factor.name: n for n, factor in reversed(list(enumerate(dag.graph.factors)))}
    left = {numbers[name]: keys for name, keys in state.factors}
    at = {node.name: node.at for node in nodes}
    flights = make_arrows(dag.edges, state.eliminated)
    factors = place_residual_factors(dag.graph, places, left, [(at[link.source], at[link.target]) for link in flights])
    nodes += make_factor_nodes(dag.graph, Layout(places.variables, factors))
    links = [Connection(factor_name(number), str(key)) for number, keys in left.items() for key in keys]
    return Scene(edges=route_edges([*links, *flights], nodes), nodes=tuple(nodes))


def place_residual_factors(
    graph: FactorGraph, places: Layout, left: Mapping[int, Sequence[Key]], arrows: Sequence[Line]
) -> dict[int, Point]:
    """Place the factors that are left, by the variables that they touch now.

    A factor stays where it was as long as it touches a variable of its own. The others go, all of a branch in
    the same manner, to where straight edges to their new variables meet the fewest nodes, edges and arrows.
    """
    ends = {n: [places.variables[key] for key in keys] for n, keys in left.items()}
    found = {n: places.factors[n] for n, keys in left.items() if set(keys) & set(graph.factors[n].keys)}
    lines = [*arrows, *((at, end) for n, at in found.items() for end in ends[n])]
    for group in _groups(places, ends, [n for n in left if n not in found]):
        obstacles = _obstacles(places, found, lines)
        occupied = [*places.variables.values(), *found.values()]
        gone = {n: ends[n] for n in group}
        plans = [_settle(plan, occupied) for plan in _plans(graph, places, gone)]
        found |= min(plans, key=lambda plan: _effort(plan, gone, obstacles))
        lines += [(found[n], end) for n, points in gone.items() for end in points]
    return {n: found[n] for n in left}


def _groups(places: Layout, ends: Ends, numbers: Iterable[int]) -> list[list[int]]:
    """Factors of one row of a branch go together; one that touches a single variable goes alone, and last."""

    def kind(n: int) -> tuple[bool, float, int]:
        alone = len(ends[n]) == 1
        return alone, places.factors[n][1], n if alone else 0

    return [list(group) for _, group in groupby(sorted(numbers, key=kind), key=kind)]


def _obstacles(places: Layout, factors: Mapping[int, Point], lines: Sequence[Line]) -> Obstacles:
    centres = np.array([*places.variables.values(), *factors.values()]).reshape(-1, 2)
    reach = np.array([style.RADIUS] * len(places.variables) + [style.DOT] * len(factors)) + style.CLEARANCE
    taken = np.concatenate([np.empty((0, 2)), *(sample_curve(line)[4:-4] for line in lines)])
    return Obstacles(centres, reach, taken)


def _plans(graph: FactorGraph, places: Layout, gone: Ends) -> list[dict[int, Point]]:
    """Return the manners worth a try: around a single variable; or as before, amid all, above or below the links."""
    (first, *more), *others = gone.values()
    if not more and not others:
        around = ((1, 0), (0, -1), (-1, 0), (0, 1))
        return [dict.fromkeys(gone, (first[0] + BESIDE * x, first[1] + BESIDE * y)) for x, y in around]
    before = {n: places.factors[n] for n in gone}
    amid = {n: (_mean([x for x, _ in points]), _mean([y for _, y in points])) for n, points in gone.items()}
    widest = max(abs(x - before[n][0]) for n, points in gone.items() for x, _ in points)
    rise = min(max(BESIDE, SLOPE * widest), 12 * style.RADIUS)
    heights: dict[int, list[float]] = {}
    for key, (_, y) in places.variables.items():
        heights.setdefault(graph.variables[key].index, []).append(y)
    own = {n: heights.get(graph.factors[n].index, [before[n][1]]) for n in gone}
    above = {n: (before[n][0], min(own[n]) - rise) for n in gone}
    below = {n: (before[n][0], max(own[n]) + rise) for n in gone}
    return [before, amid, above, below]


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)


def _settle(plan: Mapping[int, Point], occupied: Sequence[Point]) -> dict[int, Point]:
    """Move factors that would lie on one another or on a variable."""
    settled: dict[int, Point] = {}
    for n, at in plan.items():
        settled[n] = find_free_place(at, [*occupied, *settled.values()])
    return settled


def _effort(plan: Mapping[int, Point], gone: Ends, obstacles: Obstacles) -> float:
    edges = [(plan[n], end) for n, points in gone.items() for end in points]
    return round(sum(count_hindrance(*edge, obstacles) + 0.05 * math.dist(*edge) for edge in edges), 6)


def _title(dag: Dag, number: int, first: int, last: int) -> str:
    names = make_labels(dag.graph.variables.values())
    gone = [names[key] for key in dag.order[first:last]]
    letter = chr(ord("a") + number % 26) * (1 + number // 26)
    if not gone:
        return f"({letter}) the whole graph"
    return f"({letter}) after {', '.join(gone) if len(gone) <= 3 else f'{gone[0]} … {gone[-1]}'}"


def _table(panels: Sequence[Scene], titles: Sequence[str]) -> Scene:
    """Lay panels out as a page rather wide than high; they share one frame, so that nodes stay in place."""
    left, top, right, bottom = merge_scenes(panels).bounds
    width = max(right - left, *(text_width(title, style.TEXT_SIZE) for title in titles)) + GAP
    height = bottom - top + GAP + TITLE
    columns = min(range(1, len(panels) + 1), key=lambda n: _misfit(len(panels), n, width / height))
    cells = []
    for n, (panel, title) in enumerate(zip(panels, titles, strict=True)):
        x, y = n % columns * width, n // columns * height
        cells.append(shift_scene(panel, x - left, y + TITLE - top, prefix=f"{n}/"))
        cells.append(Scene(texts=(Text(title, (x, y), size=style.TEXT_SIZE + 1),)))
    return merge_scenes(cells)


def _misfit(panels: int, columns: int, shape: float) -> float:
    """How far a table is from a page that is rather wide than high, and how much of it stays empty."""
    rows = math.ceil(panels / columns)
    return abs(math.log(shape * columns / rows / 1.4)) + (rows * columns - panels) / panels
