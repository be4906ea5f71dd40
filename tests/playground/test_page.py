"""The page in a headless Chromium without a network: what it shows is what the library computes."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from playground.page import MOST, page, urdf
from playground.pyodide import present

import screwgraph as sg
from tests.ui.view.browser import Page, chromium, opened

SECONDS = 300.0
"""To wait for on a busy machine; Python starts in the page within three seconds on a quiet one."""
INERTIA = '<inertia ixx="0.1" iyy="0.2" izz="0.25" ixy="0" ixz="0" iyz="0"/>'
ARM = f"""<robot name="arm">
<link name="base"/>
<link name="slide"><inertial><origin xyz="0 0.1 0"/><mass value="2"/>{INERTIA}</inertial></link>
<link name="tool"><inertial><origin xyz="0 0 0.4"/><mass value="1"/>{INERTIA}</inertial></link>
<joint name="rail" type="prismatic"><parent link="base"/><child link="slide"/><axis xyz="1 0 0"/>
  <limit lower="-1" upper="1" effort="9" velocity="9"/></joint>
<joint name="hinge" type="continuous"><parent link="slide"/><child link="tool"/><axis xyz="0 1 0"/>
  <origin xyz="0 0 0.2" rpy="0.1 0 0"/></joint>
</robot>"""
BROKEN = ARM.replace('<parent link="slide"/>', '<parent link="slid"/>')


@pytest.fixture(scope="module")
def shown(tmp_path_factory) -> Iterator[Page]:
    chromium()
    package = present(Path("out"))
    if package is None:
        pytest.skip("there is no out/pyodide-*: `make playground` gets it")
    path = tmp_path_factory.mktemp("page") / "playground.html"
    path.write_text(page(package), "utf-8")
    assert path.stat().st_size < MOST
    with opened(path, 1360, 1000) as open_page:
        until(open_page, "state.made && !state.busy")
        yield open_page


def until(page: Page, condition: str) -> None:
    end = time.monotonic() + SECONDS
    while not page.value(f"Boolean({condition})"):
        assert not any("Uncaught" in complaint for complaint in page.complaints), page.complaints
        assert time.monotonic() < end, (condition, text(page, "doing"), text(page, "error"), page.complaints)
        time.sleep(0.1)


def text(page: Page, name: str) -> str:
    return page.value(f"document.getElementById('{name}').textContent")


def drop(page: Page, content: str, name: str) -> None:
    """Drop a file on the page."""
    page.value(
        f"""(() => {{ const data = new DataTransfer();
        data.items.add(new File([{json.dumps(content)}], {json.dumps(name)}));
        dispatchEvent(new DragEvent("drop", {{ dataTransfer: data, bubbles: true, cancelable: true }})); }})()"""
    )
    time.sleep(0.2)


def press(page: Page, selector: str) -> None:
    page.value(f"document.querySelector({json.dumps(selector)}).click()")


def open_built_in(page: Page, name: str) -> sg.Robot:
    page.value(f"[...document.querySelectorAll('#builtin button')].find((b) => b.textContent === '{name}').click()")
    until(page, f"state.robot.name === '{name}' && !state.busy")
    return sg.load(urdf(name))


def answered(page: Page, values: dict[str, Any]) -> np.ndarray:
    """Return the page's answers where its inputs have these values."""
    given = json.dumps({name: list(x) for name, x in values.items()})
    page.value(f"Object.assign(state.values, {given}); inputs(); pose(); 1")
    return np.array(page.value("state.answer"))


def states(robot: sg.Robot) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(4)
    q = rng.uniform(-1.0, 1.0, robot.nq)
    return {"q": q, **{name: rng.standard_normal(robot.nv) for name in ("qd", "qdd", "tau")}}


@pytest.mark.parametrize("name", ["rrr", "panda"])
def test_counts_and_answers_are_those_of_the_library(name, shown):
    robot = open_built_in(shown, name)
    values = states(robot)
    counts = shown.value("state.counts")
    made = {order: sg.forward_dynamics(robot, ordering=order) for order in counts}
    assert counts == {order: f.program.operations.total for order, f in made.items()}
    expected = made["aba"](values["q"], values["qd"], values["tau"])
    np.testing.assert_allclose(answered(shown, values), expected, rtol=1e-9)
    press(shown, "[data-kind=inverse]")
    until(shown, "state.drawn.orders.includes('rnea') && !state.busy")
    expected = sg.inverse_dynamics(robot)(values["q"], values["qd"], values["qdd"])
    np.testing.assert_allclose(answered(shown, values), expected, rtol=1e-9)
    press(shown, "[data-kind=forward]")
    until(shown, "state.drawn.orders.includes('aba') && !state.busy")


def test_a_closed_chain_follows_its_sliders_and_counts_and_answers_are_those_of_the_library(shown):
    robot = open_built_in(shown, "five_bar")
    counts = shown.value("state.counts")
    made = {order: sg.forward_dynamics(robot, ordering=order) for order in counts}
    assert counts == {order: f.program.operations.total for order, f in made.items()}
    shown.value("turn(0, 0.4); turn(1, -0.3); state.values.qd = [0.7, -0.4, 9, 9]; pose(); answer(); 1")
    values = shown.value("state.values")
    q, qd, tau = np.array(values["q"]), np.array(values["qd"]), np.array([1.0, -2.0, 0.3, 0.0])
    np.testing.assert_allclose(q, robot.complete([0.4, -0.3]), atol=1e-9)
    np.testing.assert_allclose(qd, robot.complete_velocity(q, [0.7, -0.4]), atol=1e-9)
    expected = made["kkt"](q, qd, tau)
    np.testing.assert_allclose(answered(shown, {"q": q, "qd": qd, "tau": tau}), expected, rtol=1e-8)
    press(shown, "[data-kind=inverse]")
    until(shown, "state.kind === 'inverse' && state.made && !state.busy")
    qdd = sg.forward_dynamics(robot)(q, qd, tau)
    torques = sg.inverse_dynamics(robot)(q, qd, qdd)
    np.testing.assert_allclose(answered(shown, {"q": q, "qd": qd, "qdd": qdd}), torques, rtol=1e-8, atol=1e-9)
    press(shown, "[data-kind=forward]")
    until(shown, "state.kind === 'forward' && state.made && !state.busy")
    shown.value("turn(0, 3.1); 1")
    assert max(map(abs, shown.value("state.loops.errors()"))) < 1e-9


def test_the_drawn_robot_stands_where_the_library_has_it(shown):
    robot = open_built_in(shown, "panda")
    q = states(robot)["q"]
    rows = np.array(shown.value(f"[...state.poses({json.dumps(q.tolist())})]")).reshape(-1, 3, 4)
    poses = sg.robot.link_poses(robot, q)
    np.testing.assert_allclose(rows, [poses[link.name][:3] for link in robot.links[1:]], atol=1e-12)


def test_a_variable_that_is_dragged_is_eliminated_earlier(shown):
    robot = open_built_in(shown, "rrr")
    before = shown.value("state.made.order.map((v) => v.key)")
    dragged = "qdd:joint1"
    assert before[-1] == dragged
    shown.value(
        """(() => { const data = new DataTransfer(), chips = [...document.getElementById("order").children];
        const fire = (chip, kind) => chip.dispatchEvent(
          new DragEvent(kind, { dataTransfer: data, bubbles: true, cancelable: true }));
        fire(chips.at(-1), "dragstart"); fire(chips[3], "dragover"); fire(chips[3], "drop");
        fire(chips.at(-1), "dragend"); })()"""
    )
    until(shown, "state.chosen === 'yours' && !state.busy")
    after = shown.value("state.made.order.map((v) => v.key)")
    wanted = [*before[:3], dragged, *before[3:-1]]
    f = sg.forward_dynamics(robot, ordering=wanted)
    assert after == list(map(str, sg.eliminate(sg.dynamics_graph(robot).given("q", "qd", "tau"), wanted).order))
    assert shown.value("state.made.operations") == f.program.operations.total
    values = states(robot)
    np.testing.assert_allclose(answered(shown, values), f(values["q"], values["qd"], values["tau"]), rtol=1e-9)


def test_a_dropped_file_is_a_robot(shown):
    drop(shown, ARM, "arm.urdf")
    until(shown, "state.robot.name === 'arm' && !state.busy")
    assert text(shown, "name") == "arm: 3 links, 2 joints"
    values = states(robot := sg.load(ARM))
    expected = sg.forward_dynamics(robot)(values["q"], values["qd"], values["tau"])
    np.testing.assert_allclose(answered(shown, values), expected, rtol=1e-9)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (BROKEN, "wrong.urdf:7: "),
        (ARM[:300], "wrong.urdf:4: the XML is broken or cut off"),
        ("hello", "wrong.urdf:1: this is not an XML file"),
    ],
)
def test_a_faulty_file_is_refused_in_words_of_its_own_and_changes_nothing(content, message, shown):
    open_built_in(shown, "rrr")
    drop(shown, content, "wrong.urdf")
    until(shown, "!document.getElementById('error').hidden && !state.busy")
    assert text(shown, "error").startswith(message)
    assert shown.value("state.robot.name") == "rrr"
    press(shown, "[data-kind=inverse]")
    until(shown, "state.drawn.orders.includes('rnea') && !state.busy")
    press(shown, "[data-kind=forward]")
    until(shown, "state.drawn.orders.includes('aba') && !state.busy")


def test_figures_show_every_variable(shown):
    open_built_in(shown, "rrr")
    for view in ("dag", "graph"):
        press(shown, f"[data-view={view}]")
        names = shown.value("[...document.querySelectorAll('#figure circle')].map((c) => c.dataset.name)")
        assert {v["key"] for v in shown.value("state.made.order")} <= set(names)
    press(shown, "[data-view=algorithm]")
    assert "F3" in text(shown, "figure")
    press(shown, "[data-view=dag]")


def test_nothing_is_asked_of_the_network_and_nothing_goes_wrong(shown):
    assert {address.partition(":")[0] for address in shown.requests} <= {"file", "data", "blob"}
    assert shown.complaints == []
