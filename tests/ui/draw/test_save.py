"""Figures as files, and what it costs to import the room."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import matplotlib as mpl
import pytest

from screwgraph.base.errors import InputError
from screwgraph.graph import FactorGraph, vector_variable
from screwgraph.ui.draw import FIGURES, draw_dag, draw_graph, save
from tests.ui.draw.helpers import graph, problem

SVG = "{http://www.w3.org/2000/svg}"


@pytest.mark.parametrize("what", FIGURES)
def test_svg_is_xml_white_and_the_same_each_time(what: str, tmp_path: Path) -> None:
    first, second = tmp_path / "first.svg", tmp_path / "second.svg"
    for path in (first, second):
        save(FIGURES[what](problem("rrr", "inverse")), path)
    assert first.read_bytes() == second.read_bytes()
    root = ElementTree.fromstring(first.read_bytes())
    assert root.tag == f"{SVG}svg"
    background = next(root.iter(f"{SVG}path"))
    assert "fill: #ffffff" in background.get("style", "")
    assert not list(root.iter(f"{SVG}text"))
    ids = [element.get("id") for element in root.iter() if element.get("id")]
    assert len(ids) == len(set(ids))


def test_png_is_a_picture_and_the_same_each_time(tmp_path: Path) -> None:
    for name in ("a.png", "b.PNG"):
        save(draw_dag(problem("rrr", "inverse")), tmp_path / name)
    data = (tmp_path / "a.png").read_bytes()
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    assert data == (tmp_path / "b.PNG").read_bytes()


def test_a_pdf_is_the_same_each_time(tmp_path: Path) -> None:
    for name in ("a.pdf", "b.pdf"):
        save(FIGURES["algorithm"](problem("rr", "forward")), tmp_path / name)
    data = (tmp_path / "a.pdf").read_bytes()
    assert data.startswith(b"%PDF-")
    assert data == (tmp_path / "b.pdf").read_bytes()


def test_names_of_joints_cannot_break_an_svg(tmp_path: Path) -> None:
    variable = vector_variable("tau", 'a"b<c>&\x01\n$', 1, 1, 0)
    save(draw_graph(FactorGraph({variable.key: variable}, ())), tmp_path / "odd.svg")
    ElementTree.parse(tmp_path / "odd.svg")


def test_every_artist_is_on_the_figure() -> None:
    dag = problem("puma560", "mass matrix")
    figure = draw_dag(dag)
    names = [patch.get_gid() for patch in figure.axes[0].patches if patch.get_gid()]
    assert len(names) == len(set(names))
    assert sum("-" in name.replace("->", "-") and not name.startswith("legend") for name in names) == len(dag.edges)


def test_only_svg_pdf_and_png_are_written(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"no picture format .* '\.jpg' \(save as one of \.svg, \.pdf, \.png\)"):
        save(draw_graph(graph("rr")), tmp_path / "figure.jpg")


def test_the_folder_must_exist(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="there is no folder"):
        save(draw_graph(graph("rr")), tmp_path / "nowhere" / "figure.svg")


def test_a_figure_that_cannot_be_written_leaves_nothing_behind(tmp_path: Path) -> None:
    (tmp_path / "figure.svg").mkdir()
    with pytest.raises(InputError, match="the file cannot be written"):
        save(draw_graph(graph("rr")), tmp_path / "figure.svg")
    assert [path.name for path in tmp_path.iterdir()] == ["figure.svg"]


def test_a_path_must_be_a_path() -> None:
    with pytest.raises(InputError, match="3 is not a path"):
        save(draw_graph(graph("rr")), 3)  # type: ignore[arg-type]


def test_saving_leaves_the_settings_of_matplotlib_alone(tmp_path: Path) -> None:
    before = dict(mpl.rcParams)
    save(draw_graph(graph("rr")), tmp_path / "figure.svg")
    assert dict(mpl.rcParams) == before


def test_importing_the_room_does_not_import_matplotlib() -> None:
    code = "import sys, screwgraph.ui.draw; sys.exit('matplotlib' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_options_reach_the_figures() -> None:
    dag = problem("rr", "inverse")
    shown, hidden = FIGURES["graph"](dag, known="square"), FIGURES["graph"](dag)
    assert len(shown.axes[0].patches) > len(hidden.axes[0].patches)
    by_kind = FIGURES["matrix"](dag, order=["acceleration", "wrench", "tau"])
    assert [t.get_text() for t in by_kind.axes[0].texts][:2] == [r"$\dot{\mathcal{V}}_{1}$", r"$\dot{\mathcal{V}}_{2}$"]
    assert len(FIGURES["steps"](dag, which=[0]).axes) == 1


def test_notebooks_show_a_drawing_by_itself_as_pixels_where_it_is_large(monkeypatch: pytest.MonkeyPatch) -> None:
    drawing = draw_dag(problem("rrr", "inverse"))
    shown = drawing._repr_svg_()
    assert shown is not None
    assert ElementTree.fromstring(shown).tag == f"{SVG}svg"
    assert drawing._repr_png_() is None
    monkeypatch.setattr("screwgraph.ui.draw.drawing.MOST_VECTORS", 3)
    assert drawing._repr_svg_() is None
    pixels = drawing._repr_png_()
    assert pixels is not None
    assert pixels.startswith(b"\x89PNG")
