"""The page in a headless Chromium without a network: what it shows is what the library computes.

`make docs` runs these tests; `make test` runs the page's Python without a browser, in `test_standin.py`.
"""

from __future__ import annotations

import base64
import json
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from playground.page import MOST, page, urdf
from playground.pyodide import present

import screwgraph as sg
from screwgraph.ui.view.primitive_parts import split_into_primitives
from tests.ui.view.browser import Page, chromium, opened

pytestmark = pytest.mark.suite

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
COLLADA = """<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
<asset><unit name="centimeter" meter="0.01"/><up_axis>Z_UP</up_axis></asset>
<library_effects>{effects}</library_effects><library_materials>{materials}</library_materials>
<library_geometries><geometry id="g"><mesh>
<source id="s"><float_array id="f" count="15">0 0 0 10 0 0 10 20 0 0 20 0 5 5 30</float_array><technique_common>
<accessor source="#f" count="5" stride="3"><param name="X" type="float"/><param name="Y" type="float"/>
<param name="Z" type="float"/></accessor></technique_common></source>
<vertices id="v"><input semantic="POSITION" source="#s"/></vertices>
<polylist count="1" material="red"><input semantic="VERTEX" source="#v" offset="0"/><vcount>4</vcount>
<p>0 1 2 3</p></polylist>
<triangles count="2" material="blue"><input semantic="VERTEX" source="#v" offset="0"/><p>0 1 4 1 2 4</p></triangles>
</mesh></geometry></library_geometries>
<library_visual_scenes><visual_scene id="scene"><node><translate>1 2 3</translate><node>
<rotate>0 0 1 90</rotate><scale>1 2 1</scale><instance_geometry url="#g"><bind_material><technique_common>
<instance_material symbol="red" target="#red"/><instance_material symbol="blue" target="#blue"/>
</technique_common></bind_material></instance_geometry></node></node></visual_scene></library_visual_scenes>
<scene><instance_visual_scene url="#scene"/></scene></COLLADA>""".format(
    effects="".join(
        f'<effect id="{name}-e"><profile_COMMON><technique sid="t"><lambert><diffuse><color>{colour} 1</color>'
        "</diffuse></lambert></technique></profile_COMMON></effect>"
        for name, colour in (("red", "0.8 0.2 0"), ("blue", "0 0.2 1"))
    ),
    materials="".join(
        f'<material id="{name}"><instance_effect url="#{name}-e"/></material>' for name in ("red", "blue")
    ),
)
CLOTHED = ARM.replace(
    '<link name="tool">',
    '<material name="green"><color rgba="0 0.8 0 1"/></material><link name="tool">'
    '<visual><geometry><mesh filename="package://arm/meshes/tool.dae" scale="2 2 2"/></geometry></visual>'
    '<visual><origin xyz="0 0 0.1"/><geometry><mesh filename="meshes/{file}"/></geometry>'
    '<material name="green"/></visual>',
)
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


def drop_all(page: Page, files: dict[str, bytes]) -> None:
    """Drop files on the page."""
    contents = json.dumps({name: base64.b64encode(content).decode() for name, content in files.items()})
    page.value(
        f"""(() => {{ const data = new DataTransfer();
        for (const [name, content] of Object.entries({contents}))
          data.items.add(new File([Uint8Array.from(atob(content), (c) => c.charCodeAt(0))], name));
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


@pytest.mark.parametrize("kind", ["stl", "stl_ascii", "obj"])
def test_meshes_that_are_dropped_have_the_places_and_colours_of_the_library(kind, shown, tmp_path):
    trimesh, _ = pytest.importorskip("trimesh"), pytest.importorskip("collada")
    name = f"ball.{kind.partition('_')[0]}"
    ball = trimesh.creation.icosphere(subdivisions=1, radius=0.3).export(file_type=kind)
    files = {"tool.dae": COLLADA.encode(), name: ball if isinstance(ball, bytes) else ball.encode()}
    text_of_arm = CLOTHED.format(file=name)
    drop(shown, text_of_arm, "clothed.urdf")
    until(shown, "state.robot.name === 'arm' && state.robot.links[2].shapes.length && !state.busy")
    assert "2 of 2 meshes are not here" in text(shown, "warnings")
    drop_all(shown, files)
    until(shown, "state.files.length === 2 && !state.busy")
    assert "meshes" not in text(shown, "warnings")
    (tmp_path / "meshes").mkdir()
    for file, content in files.items():
        (tmp_path / "meshes" / file).write_bytes(content)
    (tmp_path / "arm.urdf").write_text(text_of_arm)
    visuals = sg.load(tmp_path / "arm.urdf", packages={"arm": tmp_path}).links[2].visuals
    wanted = [part for visual in visuals for part in split_into_primitives(visual)]
    found = shown.value("state.robot.links[2].shapes.map(({ mesh, matrix, colour }) => ({ mesh, matrix, colour }))")
    assert [shape["colour"] for shape in found] == [part.colour for part in wanted] == ["#cc3300", "#0033ff", "#00cc00"]
    shown.value(
        "window.read = null, "
        "Promise.all(state.files.map(({ file }) => readMesh(file))).then((x) => { window.read = x.flat(); }), 1"
    )
    until(shown, "window.read")
    for shape, part, corners in zip(found, wanted, shown.value("read.map((x) => [...x.triangles])"), strict=True):
        points, faces = replace(part, scale=(1.0, 1.0, 1.0)).triangles
        ours = np.reshape(corners, (-1, 9))
        theirs = points[faces].reshape(-1, 9)
        order = [x[np.lexsort(np.round(x, 5).T)] for x in (ours, theirs)]
        np.testing.assert_allclose(order[0], order[1], atol=1e-6)
        np.testing.assert_allclose(np.reshape(shape["matrix"], (4, 4)).T, part.matrix, atol=1e-12)


def test_painted_pixels_have_the_colours_of_the_meshes(shown):
    drop_all(shown, {"a.urdf": CLOTHED.format(file="none.obj").encode(), "tool.dae": COLLADA.encode()})
    until(shown, "state.files.length === 1 && !state.busy")
    assert "1 of 2 meshes are not here" in text(shown, "warnings")
    drop_all(shown, {"none.obj": b"v 0 0 0\nv 1 0 0\nv 0 1 0.2\nv 0 1 1\nf 1 2 3\nf -4 -2 -1\n"})
    until(shown, "state.files.length === 2 && !state.busy")
    shades = shown.value(
        """(() => { pose(); const gl = $("robot").getContext("webgl"), data = new Uint8Array(4 * 800 * 640);
        gl.readPixels(0, 0, 800, 640, gl.RGBA, gl.UNSIGNED_BYTE, data);
        const above = (x, y, z) => x > 2 * y && x > 2 * z, count = { red: 0, green: 0, blue: 0 };
        for (let i = 0; i < data.length; i += 4) {
          const [r, g, b] = data.subarray(i, i + 3);
          count.red += above(r, g, b); count.green += above(g, r, b); count.blue += above(b, r, g);
        }
        return count; })()"""
    )
    assert min(shades.values()) > 500


def test_a_mesh_that_cannot_be_read_is_said(shown):
    drop_all(shown, {"a.urdf": CLOTHED.format(file="none.obj").encode(), "tool.dae": b"<COLLADA/>"})
    until(shown, "!document.getElementById('error').hidden && !state.busy")
    assert text(shown, "error").startswith("tool.dae: the mesh has no triangles")


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
