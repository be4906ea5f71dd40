"""What cannot be a contact is refused in one line."""

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.base.errors import EliminationError, InputError, ModelError, ScrewgraphError
from tests.motion.simulation.contacts.bodies import feet, free_body, quadruped


@pytest.mark.parametrize(
    ("numbers", "said"),
    [
        ({"friction": -0.1}, "friction"),
        ({"friction": np.nan}, "friction"),
        ({"radius": -1.0}, "radius"),
        ({"restitution": 1.1}, "restitution"),
        ({"stiffness": 0.0}, "stiffness"),
        ({"damping": np.inf}, "damping"),
        ({"at": (0.0, np.nan, 0.0)}, "place"),
    ],
)
def test_numbers(numbers, said):
    with pytest.raises(InputError, match=said):
        sg.Contact("body", **numbers)


def test_frames_and_models():
    with pytest.raises(InputError, match="no frame is called 'foot'"):
        sg.Simulator(free_body(1.0, 0.1), contacts=[sg.Contact("foot")])
    with pytest.raises(InputError, match="foot"):
        sg.Simulator(sg.load_mechanism("four_bar"), contacts=[sg.Contact("foot")])
    with pytest.raises(InputError, match="nothing of it moves"):
        sg.Simulator(sg.load('<robot name="r"><link name="body"/></robot>'), contacts=[sg.Contact("body")])
    with pytest.raises(InputError, match="a ground without contacts"):
        sg.Simulator(free_body(1.0, 0.1), ground=sg.Plane())
    for wrong in ("hills", np.zeros((3, 3))):
        with pytest.raises(InputError, match="expected a Ground"):
            sg.Simulator(free_body(1.0, 0.1), contacts=[sg.Contact("body")], ground=wrong)  # pyright: ignore
    with pytest.raises(ModelError, match=r"contacts='collision': there is no such file \('collisions', or a path"):
        sg.Simulator(free_body(1.0, 0.1), contacts="collision")
    with pytest.raises(InputError, match="contacts by method 'rk4'"):
        sg.Simulator(free_body(1.0, 0.1), contacts=[sg.Contact("body")], method="rk4")
    with pytest.raises(InputError, match="contacts by method 'dop853'"):
        sg.simulate(free_body(1.0, 0.1), contacts=[sg.Contact("body")], method="dop853")
    with pytest.raises(InputError, match="the smoother has no law for contacts"):
        sg.simulate(free_body(1.0, 0.1), contacts=[sg.Contact("body")], method="smoother")


def test_links_without_inertia_are_named():
    text = (
        '<robot name="m"><link name="b"/><link name="c"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" '
        'ixy="0" ixz="0" iyz="0"/></inertial></link><link name="d"/>'
        '<joint name="idle" type="continuous"><parent link="c"/><child link="d"/><axis xyz="0 0 1"/></joint>'
        '<joint name="j" type="continuous"><parent link="b"/><child link="c"/><axis xyz="0 0 1"/></joint></robot>'
    )
    with pytest.raises(EliminationError, match="'idle' moves nothing that has inertia"):
        sg.Simulator(sg.load(text), contacts=[sg.Contact("c")])


def test_counts_of_motions_agree():
    robot, some = quadruped(), feet(friction=np.full(3, 0.5))
    with pytest.raises(InputError, match="for 3 motions and for 4"):
        sg.Simulator(robot, contacts=[*some, sg.Contact("body", friction=np.full(4, 0.5))])
    with pytest.raises(ScrewgraphError, match="3 motions"):
        sg.rollout(robot, np.tile(robot.neutral(), (2, 1)), contacts=some, time=0.01)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("contacts: [{frame: body, radus: 0.1}]", "did you mean 'radius'"),
        ("contacts: [{frame: body}]\nparameters: [grund]", "did you mean 'ground'"),
        ("contacts: [{frame: body}]\nparameters: ['friction:body']", "did you mean 'friction'"),
        ("contacts: [{frame: body}]\nparameters: [bdy.mass]", "did you mean body"),
        ("contacts: [{frame: body, radius: wide}]", "'wide' is no number"),
        ("contacts: [{radius: 0.1}]", "a contact: frame is missing"),
        ("contacts: [{frame: body, friction: -1}]", "friction"),
        ("ground: {height: 1}", "no contacts"),
        ("contacts: []", "no contacts"),
        ("contacts: 3", "it must be a list"),
        ("contacts: [{frame: body}]\nground: {normal: [0, 0, 0]}", "normal"),
        ("contacts: [{frame: body, points: [[0, 0]]}]", "it must be 3 numbers"),
    ],
)
def test_files(tmp_path, text, said):
    file = tmp_path / "contacts.yaml"
    file.write_text(text, encoding="utf-8")
    with pytest.raises((InputError, ModelError), match=said):
        sg.Simulator(free_body(1.0, 0.1), contacts=str(file))


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        ("{frame: bdy}", "no frame is called 'bdy'"),
        ("{frame: body, points: []}", "a point at least"),
        ("{frame: body, at: [0, 0, 1]}", r"points in the frame are points: \[\[x, y, z\]\]"),
        ("{frame: body, against: {frame: bdy, radius: 1}}", "no frame is called 'bdy'"),
        ("{frame: body, against: {frame: body, radius: 1}}", "on the same link"),
        ("{frame: body, against: {frame: bdy, radius: 0}}", "sizes must be positive"),
        ("{frame: body, against: {frame: bdy, box: [1, 1, 1], length: 1}}", "goes with the radius"),
        ("{frame: body, slots: 3}", "slots go with a shape"),
        ("{frame: body, slots: 2.5, shape: {box: [1, 1, 1]}}", "whole number"),
        ("{frame: body, slots: 12, shape: {box: [1, 1, 1]}}", "1 to 8 points"),
        ("{frame: body, shape: {mesh: none.stl}}", "there is no file .*none.stl"),
        ("{frame: body, shape: {box: [1, 1, 1], mesh: a.stl}}", "have a box or a mesh"),
        ("{frame: body, damping: inf}", "finite and not negative"),
        ("{frame: body, radius: 1, shape: {box: [1, 1, 1]}}", "a shape and a radius"),
    ],
)
def test_lines_of_wrong_entries_are_named(tmp_path, entry, said):
    file = tmp_path / "contacts.yaml"
    file.write_text(f"contacts:\n  - {{frame: body}}\n  - {entry}\n", encoding="utf-8")
    with pytest.raises(ModelError, match=said) as error:
        sg.Simulator(free_body(1.0, 0.1), contacts=str(file))
    assert str(error.value).startswith(f"{file}:3: ")


@pytest.mark.parametrize(
    ("ground", "said"),
    [
        ("{nrmal: [0, 0, 1]}", "did you mean 'normal'"),
        ("{height: 1, steps: {at: [1], heights: [1]}}", "is nothing else"),
        ("{steps: {at: [1, 2], heights: [1]}}", "heights of 2 steps"),
        ("{steps: {at: [2, 1], heights: [1, 1]}}", "one after the other"),
        ("{steps: {at: [1]}}", "steps: heights is missing"),
        ("{height_map: {file: none.npz}}", "cannot be read"),
        ("{height_map: {smooth: yes}}", "must name a `file`"),
        ("{height_map: {file: hills.npz}}", "the spacing of hills.npz"),
    ],
)
def test_lines_of_wrong_grounds_are_named(tmp_path, ground, said):
    np.savez(tmp_path / "hills.npz", heights=np.zeros((4, 4)), origin=[0.0, 0.0], spacing=[1.0, 2.0])
    file = tmp_path / "contacts.yaml"
    file.write_text(f"contacts:\n  - {{frame: body}}\nground: {ground}\n", encoding="utf-8")
    with pytest.raises(ModelError, match=said) as error:
        sg.Simulator(free_body(1.0, 0.1), contacts=str(file))
    assert str(error.value).startswith(f"{file}:3: ")


def test_positions_of_a_ground_that_is_asked_for_are_checked():
    simulator = sg.Simulator(free_body(1.0, 0.1), contacts=[sg.Contact("body")], parameters=["ground"])
    np.testing.assert_array_equal(simulator.find_ground(), [0.0, 0.0, 1.0, 0.0])
    for q in ([1.0, 2.0], np.full(7, np.nan)):
        with pytest.raises(InputError, match="7 finite numbers"):
            simulator.find_ground(q)


@pytest.mark.parametrize(
    ("options", "seed", "said"),
    [
        ({"randomise": {"friction": (-1.0, -0.5)}}, 0, "friction of the contact of 'randomise'"),
        ({"randomise": {"restitution": lambda rng, count: np.full(count, 2.0)}}, 0, "from 0 to 1"),
        ({}, "one", "seed is 'one'"),
        ({}, -1, "seed is -1"),
    ],
)
def test_environments_refuse_draws_and_seeds(options, seed, said):
    env = sg.Environment(free_body(1.0, 0.1), 2, contacts=[sg.Contact("body")], **options)
    with pytest.raises(InputError, match=said):
        env.reset(seed=seed)


def test_lines_of_grounds_that_mechanisms_cannot_touch_are_named(tmp_path):
    file = tmp_path / "contacts.yaml"
    file.write_text("contacts: [{frame: P2}]\nground: {normal: [0, 0, 1]}\n", encoding="utf-8")
    with pytest.raises(ModelError, match=r"contacts\.yaml:2: .* out of the plane"):
        sg.Simulator(sg.load_mechanism("four_bar"), contacts=str(file))


def test_a_file_has_contacts_and_ground(tmp_path):
    file = tmp_path / "contacts.yaml"
    file.write_text(
        "contacts: [{frame: body, points: [[1, 0, 0], [0, 1, 0]], radius: 0.1, stiffness: inf}]\n"
        "ground: {normal: [0, 1, 1], height: -0.5}\n",
        encoding="utf-8",
    )
    options = sg.Simulator(free_body(1.0, 0.1), contacts=str(file)).options
    assert [c.at for c in options.contacts] == [(1.0, 0.0, 0.0), (0.0, 1.0, 0.0)]
    assert all(c.stiffness == np.inf and c.radius == 0.1 for c in options.contacts)
    assert options.ground == sg.Plane((0.0, 1.0, 1.0), -0.5)
    np.testing.assert_allclose(sg.Plane((0.0, 1.0, 1.0)).normal, [0.0, np.sqrt(0.5), np.sqrt(0.5)])


def test_meshes_that_are_not_there_touch_nothing():
    text = (
        '<robot name="m"><link name="b"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" '
        'iyz="0"/></inertial><collision><geometry><mesh filename="b.stl"/></geometry></collision></link></robot>'
    )
    with pytest.raises(InputError, match="1 mesh is left out"):
        sg.Simulator(sg.load(text, base="floating"), contacts="collisions")


def test_more_contacts_than_code_holds_are_refused_with_some_that_may_be_named():
    many = [sg.Contact("body", at=(0.001 * i, 0.0, 0.0)) for i in range(500)] + [sg.Contact("body", 0.02)]
    with pytest.raises(sg.InputError, match="501 contacts of 'body' are more than 500") as caught:
        sg.Simulator(free_body(1.0, 0.1), contacts=many)
    assert 'sg.Contact("body", radius=0.02' in str(caught.value)


@pytest.mark.parametrize("many", [{"friction": np.full(2, 0.5)}, {}])
def test_a_simulation_of_one_motion_has_no_numbers_of_many(many):
    ground = sg.Plane() if many else sg.Plane(height=np.zeros(2))
    with pytest.raises(InputError, match="have numbers for many motions: simulate takes one motion"):
        sg.simulate(free_body(1.0, 0.1), time=0.01, dt=1e-3, contacts=[sg.Contact("body", 0.1, **many)], ground=ground)


def test_what_is_too_fast_is_a_velocity():
    """At rest on the ground, its acceleration is that of free fall."""
    robot, qd = free_body(1.0, 0.1), [0.0, 0.0, 0.0, 1e9, 0.0, 0.0]
    with pytest.raises(InputError, match=r"velocities of 1e\+09 rad/s or m/s are too large for steps of 0.001 s"):
        sg.simulate(robot, robot.neutral(), qd, time=0.01, dt=1e-3, contacts=[sg.Contact("body", 0.1)])
