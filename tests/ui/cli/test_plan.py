"""`screwgraph plan`, as a user runs it."""

from __future__ import annotations

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.motion.planning import read_task
from screwgraph.ui.cli.plan import divide_shares
from tests.ui.view.browser import opened

TASK = """robot: cart_pole
collocation: trapezoidal
horizon: {steps: 20, dt: 0.05}
actuated: [x]
start: {position: [0, 0]}
goals:
  - {time: end, position: {x: 0.3}, velocity: 0}
costs: {effort: 1, velocity: 0.1}
limits: {effort: 12}
"""


@pytest.fixture
def task(tmp_path):
    path = tmp_path / "a task.yaml"
    path.write_text(TASK)
    return path


def test_built_in_tasks_are_printed_to_begin_ones_own_with(command, tmp_path):
    text = command("plan", "--print", "a1_trot").out
    (tmp_path / "mine.yaml").write_text(text)
    own, built_in = read_task(tmp_path / "mine.yaml"), read_task("a1_trot")
    assert [str(item) for _, item in own.items()] == [str(item) for _, item in built_in.items()]
    assert command("plan", "--print", "a1_trt").err.count("did you mean 'a1_trot'?") == 1
    assert "there is no output folder (-o DIR" in command("plan", "cp2").err


def test_a_plan_is_written_with_pictures_and_pages_that_play_offline(command, task, tmp_path):
    folder = tmp_path / "new" / "out"
    figures = command("plan", task, "-o", folder, "--no-refine", "--json").json
    assert figures["status"] == "solved, coarse: interval 1-3"
    assert figures["violation"] < 1e-6
    assert set(figures["costs"]) == {"cost 1", "cost 2"}
    names = ["animation.html", "costs.svg", "motion.svg", "plan.csv", "plan.npz", "report.html"]
    assert sorted(p.name for p in folder.iterdir()) == names
    expected = sg.plan(task, refine=False)
    with np.load(folder / "plan.npz") as arrays:
        np.testing.assert_allclose(arrays["q"], expected.q, atol=1e-9)
        assert str(arrays["status"]) == expected.status
        assert arrays["error"] == pytest.approx(expected.error)
    head, *rows = (folder / "plan.csv").read_text().splitlines()
    assert head == "t,q:x[0],q:theta[0],qd:x[0],qd:theta[0],qdd:x[0],qdd:theta[0],tau:x[0],tau:theta[0]"
    assert len(rows) == 21
    assert "cart_pole, 3 bodies, 21 states" in command("view", folder / "plan.npz", "-o", tmp_path / "x.html").out
    with opened(folder / "report.html") as page:
        frame = "document.querySelector('iframe').contentWindow.screwgraph"
        cart = f"{frame}.setTime(%g), {frame}.pose('cart')[3]"
        assert page.value(cart % 1.0) - page.value(cart % 0.0) == pytest.approx(0.3, abs=1e-6)
        assert page.value("[...document.images].every((image) => image.naturalWidth > 0)")
        assert "collocation" in page.value("document.body.innerText").partition("Constraints")[2]
        assert {address.partition(":")[0] for address in page.requests} <= {"file", "data", "about"}
        assert page.complaints == []
        for width in (390, 1280):
            page.resize(width, 800)
            assert page.value("document.documentElement.scrollWidth") <= width
        page.prefer("dark")
        assert "invert" in page.value("getComputedStyle(document.images[0]).filter")


def test_what_is_not_feasible_is_called_so(command, task, tmp_path):
    task.write_text(TASK.replace("effort: 12", "effort: 0.1"))
    (tmp_path / "out").mkdir()
    for name in ("plan.npz", "plan.csv"):
        (tmp_path / "out" / name).write_text("an older plan, which was feasible")
    outcome = command("plan", task, "-o", tmp_path / "out")
    assert outcome.status == 1
    assert outcome.err.startswith(("infeasible: ", "not feasible: "))
    names = sorted(p.name for p in (tmp_path / "out").iterdir())
    plans = ["plan.not_feasible.csv", "plan.not_feasible.npz"]
    assert names == ["animation.html", "costs.svg", "motion.svg", *plans, "report.html"]
    pages = [(tmp_path / "out" / name).read_text() for name in ("animation.html", "report.html")]
    assert "NOT FEASIBLE" in pages[0]
    assert "<h2>Not feasible</h2>" in pages[1]
    assert "largest violation (SI units)" in pages[1]


PATH = """
robot: rr
path: {positions: [[0, 0], [0.6, -0.4], [1.2, 0.3]], steps: 100}
limits: [{velocity: 2}, {effort: 60}]
"""


def test_the_fastest_timing_of_a_path_is_written(command, refused, task, tmp_path):
    task.write_text(PATH)
    outcome = command("plan", task, "-o", tmp_path / "out")
    assert (outcome.status, outcome.err) == (0, "")
    assert "solved, " in outcome.out
    assert sorted(p.name for p in (tmp_path / "out").iterdir()) == ["animation.html", "plan.csv", "plan.npz"]
    found = np.load(tmp_path / "out" / "plan.npz")
    assert found["q"][-1] == pytest.approx([1.2, 0.3])
    task.write_text(PATH.replace("effort: 60", "effort: 1"))
    assert "holding still there takes" in refused(1, "plan", task, "-o", tmp_path / "none").err


def test_bad_task_files_are_refused_in_one_line(refused, task, tmp_path):
    task.write_text(TASK.replace("costs", "prices"))
    outcome = refused(1, "plan", task, "-o", tmp_path / "out")
    assert "a task.yaml:8: a task: there is no key 'prices'" in outcome.err
    assert not (tmp_path / "out").exists()
    refused(1, "plan", "cp3", "-o", tmp_path / "out")
    refused(2, "plan", "cp2")


@pytest.mark.parametrize("costs", [[1.0, 1.0, 1.0], [5.0, 1e-9], [0.1234, 0.4321, 7.7, 0.001], [2.0]])
def test_shares_add_up_to_100_per_cent(costs):
    shares = [float(text.removesuffix(" %")) for text in divide_shares(costs)]
    assert round(sum(shares), 6) == 100.0
    assert np.abs(np.array(shares) - 100.0 * np.array(costs) / sum(costs)).max() < 0.1
