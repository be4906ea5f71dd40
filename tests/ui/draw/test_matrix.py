"""The block-sparse matrix."""

from __future__ import annotations

import pytest

from screwgraph.base.errors import InputError
from screwgraph.ui.draw import draw_matrix
from screwgraph.ui.draw.matrix import matrix_scene
from screwgraph.ui.draw.scene import Box
from tests.ui.draw.helpers import PROBLEMS, ROBOTS, problem


def blocks(boxes: tuple[Box, ...]) -> list[Box]:
    return [box for box in boxes if box.name.startswith("block")]


@pytest.mark.parametrize("which", PROBLEMS)
@pytest.mark.parametrize("name", ROBOTS)
def test_a_block_is_filled_where_a_factor_touches_an_unknown(name: str, which: str) -> None:
    g = problem(name, which).graph
    scene = matrix_scene(g)
    names = [box.name for box in blocks(scene.boxes)]
    assert names == [f"block {f.name} {key}" for f in g.factors for key in g.unknown_keys(f)]
    words = [text.text for text in scene.texts]
    assert words[len(g.unknowns) : -1] == [f.name for f in g.factors]


def test_blocks_grow_with_the_numbers_in_them() -> None:
    sizes = {box.name: (box.width, box.height) for box in blocks(matrix_scene(problem("rrr", "inverse").graph).boxes)}
    width, height = sizes["block torque 2 wrench:link2"]
    assert width > height
    assert sizes["block torque 2 tau:joint2"] == (height, height)
    assert sizes["block wrench 2 wrench:link2"] == (width, width)


def test_blocks_lie_in_the_row_and_column_of_their_labels() -> None:
    dag = problem("puma560", "forward")
    scene = matrix_scene(dag.graph, dag.order)
    rows = {text.text: text.at[1] for text in scene.texts if text.align == "right"}
    columns = dict(zip(map(str, dag.order), [t.at[0] for t in scene.texts if t.align == "center"], strict=True))
    for box in blocks(scene.boxes):
        law, link, key = box.name.removeprefix("block ").split(" ")
        assert box.at[1] < rows[f"{law} {link}"] < box.at[1] + box.height
        assert box.at[0] < columns[key] < box.at[0] + box.width


def test_rows_and_columns_of_the_grid_tile_the_matrix_around_its_blocks() -> None:
    scene = matrix_scene(problem("rrr", "inverse").graph)
    rows, columns = (
        [(box.at, (box.at[0] + box.width, box.at[1] + box.height)) for box in scene.boxes if box.name.startswith(kind)]
        for kind in ("row ", "column ")
    )
    width, height = columns[-1][1][0], rows[-1][1][1]
    assert (rows[0][0], columns[0][0]) == ((0.0, 0.0), (0.0, 0.0))
    assert all((low[0], high[0]) == (0.0, pytest.approx(width)) for low, high in rows)
    assert all((low[1], high[1]) == (0.0, pytest.approx(height)) for low, high in columns)
    assert [low[1] for low, _ in rows[1:]] == pytest.approx([high[1] for _, high in rows[:-1]])
    assert [low[0] for low, _ in columns[1:]] == pytest.approx([high[0] for _, high in columns[:-1]])
    for box in blocks(scene.boxes):
        assert any(pytest.approx((box.at[1], box.at[1] + box.height)) == (a[1], b[1]) for a, b in rows)
        assert any(pytest.approx((box.at[0], box.at[0] + box.width)) == (a[0], b[0]) for a, b in columns)


def test_the_newton_euler_order_makes_the_matrix_block_triangular() -> None:
    dag = problem("puma560", "inverse")
    scene = matrix_scene(dag.graph, dag.order)
    assert all(box.at[0] >= box.at[1] - 1e-9 for box in blocks(scene.boxes))


def test_the_caption_counts_numbers_and_blocks() -> None:
    scene = matrix_scene(problem("rrr", "inverse").graph)
    assert scene.texts[-1].text == "39 × 39 numbers, 19 of 81 blocks filled"


@pytest.mark.parametrize(
    ("order", "message"),
    [
        (["tau", "wrench"], "the order leaves out acceleration:link1, acceleration:link2"),
        (["tau", "speed"], "no variable is called 'speed'"),
    ],
)
def test_an_order_must_name_each_unknown(order: list[str], message: str) -> None:
    g = problem("rrr", "inverse").graph
    with pytest.raises(InputError, match=message):
        draw_matrix(g, order)
