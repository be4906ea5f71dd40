"""Nested dissection of graphs of which small separators are known. George (1973)."""

import pytest

from screwgraph.elimination.orderings.nested_dissection import _dissect


def dissect(near):
    return _dissect(sorted(near), near)


def make_grid(rows, columns):
    """Return the neighbours of each cell of a grid, numbered along its rows."""
    cells = {(i, j): i * columns + j for i in range(rows) for j in range(columns)}
    ways = ((0, 1), (1, 0), (0, -1), (-1, 0))
    return {
        cell: frozenset(cells[i + a, j + b] for a, b in ways if (i + a, j + b) in cells)
        for (i, j), cell in cells.items()
    }


def part_sizes(near, keys):
    """Return the sizes of the connected parts of some nodes."""
    left, sizes = set(keys), []
    while left:
        part = {left.pop()}
        grown = part
        while grown:
            grown = {n for k in grown for n in near[k]} & left
            part, left = part | grown, left - grown
        sizes.append(len(part))
    return sizes


@pytest.mark.parametrize(("rows", "columns"), [(1, 31), (2, 16), (3, 20)])
def test_a_small_separator_goes_last(rows, columns):
    """As many nodes as a grid is high cut it into parts of at most two thirds."""
    near = make_grid(rows, columns)
    order = dissect(near)
    assert sorted(order) == sorted(near)
    parts = part_sizes(near, order[: len(order) - rows])
    assert len(parts) > 1
    assert max(parts) <= 2 * len(near) // 3


def test_parts_that_are_apart_are_ordered_by_themselves():
    one, other = make_grid(3, 7), make_grid(2, 9)
    near = one | {k + 100: frozenset(n + 100 for n in own) for k, own in other.items()}
    order = dissect(near)
    assert [k for k in order if k < 100] == dissect(one)
    assert len({k < 100 for k in order[:21]}) == 1
