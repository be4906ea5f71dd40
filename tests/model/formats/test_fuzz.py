"""Whatever a file holds, it ends in a valid robot or in a ModelError of one line."""

from dataclasses import replace
from xml.etree import ElementTree

import numpy as np
import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from screwgraph.base.errors import ModelError
from screwgraph.model.formats import load
from screwgraph.model.robot import JOINT_TYPES
from screwgraph.model.save import save
from screwgraph.spatial import SpatialInertia
from tests.model.formats.helpers import assert_same, rich_robot
from tests.robots import robot_file

FUZZ = settings(
    deadline=None, max_examples=40, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)
REAL = [
    robot_file(f"{name}.urdf") for name in ("cart_on_rail", "panda", "double_pendulum", "crank_rocker", "geared_leg")
]
REAL_SDF = [robot_file(f"{name}.sdf") for name in ("cassie_simple", "cassie")]

odd_numbers = st.one_of(
    st.floats().map(repr),
    st.sampled_from(["", "-0", "1e99", "-1e99", "1e-300", "nan", "inf", "1,5", "0x1", "1_0", "a", "${x}", "9" * 200]),
    st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=4),
)
odd_names = st.sampled_from(["", " ", "größe", "base"]) | st.text(
    st.characters(exclude_categories=["Cs", "Cc"]), max_size=3
)


def mostly(usual, odd):
    """Draw what is right, and now and then what is wrong, so that whole files are often right."""
    return st.integers(0, 40).flatmap(lambda i: odd if i == 13 else usual)


numbers = mostly(st.floats(-3, 3).map(repr), odd_numbers)
positive = mostly(st.floats(1, 2).map(repr), odd_numbers)
names = mostly(st.sampled_from("abcdef"), odd_names)
kinds = mostly(st.sampled_from([*JOINT_TYPES, "ball", "screw"]), st.sampled_from(["revolut", ""]))
triples = mostly(st.tuples(numbers, numbers, numbers), st.lists(numbers, max_size=4))
words = triples.map(" ".join)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("fuzz")


def ends_well(data: bytes, folder, name: str) -> None:
    """Load, and where that gives a robot, it is one: its tree, poses and inertias are sound and it can be saved."""
    path = folder / name
    path.write_bytes(data)
    try:
        robot = load(path, base="floating")
    except ModelError as error:
        if "\n" in str(error) or not str(error):
            raise AssertionError(f"not one line: {error!r}") from error
        return
    assert len(robot.links) == len(robot.joints) + 1
    assert [joint.child for joint in robot.joints] == [link.name for link in robot.links[1:]]
    for joint in robot.joints:
        assert robot.link_index(joint.parent) < robot.link_index(joint.child)
        np.testing.assert_allclose(joint.origin[:3, :3] @ joint.origin[:3, :3].T, np.eye(3), atol=1e-12)
        assert np.isfinite(joint.origin).all()
    assert all(np.isfinite(link.inertia.matrix()).all() for link in robot.links)
    saved = folder / "saved.yaml"
    save(robot, saved)
    load(saved)


def element(tag, *children, **attributes):
    """An element with these attributes and with some of these children."""

    def built(drawn):
        node = ElementTree.Element(tag, {key: value for key, value in drawn[0].items() if value is not None})
        node.extend(child for child in drawn[1] if child is not None)
        return node

    return st.tuples(st.fixed_dictionaries(attributes), st.tuples(*children)).map(built)


def maybe(strategy):
    return st.none() | strategy


def usually(strategy):
    return mostly(strategy, st.none())


INERTIAL = element(
    "inertial",
    maybe(element("origin", xyz=words, rpy=words)),
    usually(element("mass", value=positive)),
    usually(element("inertia", **{f"i{axes}": positive for axes in ("xx", "yy", "zz")}, ixy=maybe(numbers))),
)
EXTRAS = [
    element("origin", xyz=words, rpy=usually(words)),
    element("axis", xyz=words, pitch=maybe(numbers)),
    element("axis2", xyz=words),
    element("limit", lower=numbers, upper=numbers, effort=maybe(numbers), velocity=usually(numbers)),
    element("dynamics", damping=numbers, friction=maybe(numbers)),
]


@st.composite
def urdf_files(draw) -> bytes:
    """A tree with something wrong here and there."""
    root = ElementTree.Element("robot", name="fuzz")
    links = draw(st.lists(names, min_size=1, max_size=5, unique=draw(st.integers(0, 20)) != 7))
    parts = [draw(element("link", maybe(INERTIAL), name=usually(st.just(name)))) for name in links]
    joints = [f"j{i}" for i in range(len(links))]
    for i in range(1, len(links)):
        parent = draw(mostly(st.sampled_from(links[:i]), names))
        mimic = element("mimic", joint=mostly(st.sampled_from(joints[:i]), names), offset=maybe(numbers))
        extras = [st.just(None), *map(maybe, EXTRAS), mostly(st.none(), mimic)]
        ends = [usually(element(end, link=st.just(name))) for end, name in (("parent", parent), ("child", links[i]))]
        parts.append(draw(element("joint", *ends, *extras, name=mostly(st.just(joints[i]), names), type=kinds)))
    root.extend(draw(st.permutations(parts)))
    return ElementTree.tostring(root, encoding="utf-8")


@FUZZ
@given(data=urdf_files())
def test_random_urdf_trees_end_well(data, folder):
    ends_well(data, folder, "random.urdf")


SDF_INERTIAL = "<inertial><mass>1</mass><inertia><ixx>1</ixx><iyy>1</iyy><izz>1</izz></inertia></inertial>"
sdf_types = mostly(
    st.sampled_from(["revolute", "prismatic", "ball", "universal", "screw", "fixed"]), st.sampled_from(["gearbox", ""])
)
sdf_names = mostly(st.sampled_from(["a", "b", "c", "d", "world", "__model__", "n::a", "n"]), odd_names)
sdf_poses = mostly(st.lists(numbers, min_size=6, max_size=6), st.lists(numbers, max_size=8)).map(" ".join)


def leaf(tag, text, **attributes):
    """An element that holds text, and has these attributes."""

    def built(drawn):
        node = ElementTree.Element(tag, {key: value for key, value in drawn[1].items() if value is not None})
        node.text = drawn[0]
        return node

    return st.tuples(text, st.fixed_dictionaries(attributes)).map(built)


POSE = leaf("pose", sdf_poses, relative_to=mostly(st.none(), sdf_names), degrees=mostly(st.none(), names))
AXIS = element("axis", leaf("xyz", words, expressed_in=mostly(st.none(), sdf_names)), maybe(leaf("limit", words)))

AXIS2 = element("axis2", leaf("xyz", st.just("1 0.5 0")))


@st.composite
def sdf_models(draw, depth: int = 0):
    """A model: links, joints that may close loops, frames, and now and then models within."""
    root = ElementTree.Element("model", name="n" if depth else "m")
    links = draw(mostly(st.permutations("abcd"), st.lists(st.sampled_from("abcd"), min_size=1, max_size=4)))
    parts = [draw(element("link", maybe(POSE), name=usually(st.just(name)))) for name in links]
    for part in parts:
        part.append(ElementTree.fromstring(SDF_INERTIAL))
    loops = draw(st.integers(0, 2))
    for i in range(len(links) - 1 + loops):
        child = links[i + 1] if i + 1 < len(links) else draw(st.sampled_from(links))
        parent = draw(st.sampled_from([link for link in links[: i + 1] if link != child] or [child]))
        ends = [leaf(end, mostly(st.just(name), sdf_names)) for end, name in (("parent", parent), ("child", child))]
        extras = [usually(end) for end in ends] + [maybe(POSE), maybe(AXIS), usually(AXIS2)]
        extras += [maybe(leaf("gearbox_reference_body", sdf_names)), maybe(leaf("screw_thread_pitch", numbers))]
        parts.append(draw(element("joint", *extras, name=mostly(st.just(f"j{i}"), names), type=sdf_types)))
    frame = element("frame", maybe(POSE), name=st.just("f"), attached_to=maybe(sdf_names))
    parts += [part for part in (draw(mostly(st.none(), frame)),) if part is not None]
    if depth < 2 and draw(st.integers(0, 9)) == 7:
        parts.append(draw(sdf_models(depth + 1)))
    root.extend(draw(st.permutations(parts)))
    return root


@st.composite
def sdf_files(draw) -> bytes:
    """A file of one model, or a world with some."""
    root = ElementTree.Element("sdf", version=draw(mostly(st.sampled_from(["1.6", "1.7", "1.11"]), odd_numbers)))
    if draw(st.booleans()):
        root.append(draw(sdf_models()))
    else:
        root.append(ElementTree.Element("world", name="w"))
        root[0].extend([draw(sdf_models()) for _ in range(draw(mostly(st.just(1), st.integers(0, 2))))])
    return ElementTree.tostring(root, encoding="utf-8")


@FUZZ
@given(data=sdf_files())
def test_random_sdf_ends_well(data, folder):
    ends_well(data, folder, "random.sdf")


@st.composite
def mutations(draw, originals):
    """A file with lines swapped, doubled or taken out, words replaced, bytes changed, or its end cut off."""
    data = draw(st.sampled_from(originals))
    lines = data.split(b"\n")
    pieces = st.sampled_from(
        [
            b"",
            b"nan",
            b"-1",
            b"1e999",
            b"<",
            b">",
            b'"',
            b"&x;",
            b"\xff",
            b"\0",
            b"floating",
            b"{",
            b"]",
            b": ",
            b"*a",
            b"- ",
        ]
    )
    for _ in range(draw(st.integers(1, 4))):
        i, j = draw(st.integers(0, len(lines) - 1)), draw(st.integers(0, len(lines) - 1))
        match draw(st.sampled_from(["swap", "double", "drop", "word", "byte", "cut"])):
            case "swap":
                lines[i], lines[j] = lines[j], lines[i]
            case "double":
                lines.insert(j, lines[i])
            case "drop" if len(lines) > 1:
                del lines[i]
            case "word" if lines[i].split(b'"')[1:]:
                parts = lines[i].split(b'"')
                parts[draw(st.integers(1, len(parts) - 1))] = draw(pieces)
                lines[i] = b'"'.join(parts)
            case "byte" if lines[i]:
                at = draw(st.integers(0, len(lines[i]) - 1))
                lines[i] = lines[i][:at] + draw(pieces) + lines[i][at + 1 :]
            case "cut":
                lines = lines[: max(1, i)]
    return b"\n".join(lines)


@settings(FUZZ, max_examples=30)
@given(data=st.data())
@pytest.mark.suite
def test_mutated_real_sdf_ends_well(data, folder):
    ends_well(data.draw(mutations([path.read_bytes() for path in REAL_SDF])), folder, "mutated.sdf")


@FUZZ
@given(data=st.data())
def test_mutated_real_urdf_ends_well(data, folder):
    ends_well(data.draw(mutations([path.read_bytes() for path in REAL])), folder, "mutated.urdf")


YAML = b"""\
name: rr
parameters: {L: 1.0, m: 2*L, "quoted": pi}
base: {link: ground, mass: 10, com: [0, 0, 0.5]}
bodies:
  - link: upper
    joint: shoulder
    axis: -y
    at: [0, 0, L]
    rpy: [pi/2, 0, 0]
    mass: m
    inertia: &I [0.1, 0.2, 0.25]
    limits: {lower: -pi, upper: pi}
  - {link: fore, type: helical, pitch: 0.01, inertia: *I, mimic: {joint: "shoulder"}}
  - link: tip
    type: universal
    axis2: [0, "1", 1]
frames:
  - {frame: tool, link: fore, at: [L, 0, 0]}
loops:
  - {loop: pin, type: spherical, predecessor: {link: fore, at: [L, 0, 0]}, successor: tip}
couplings:
  - {coupling: gear, terms: {shoulder: 1, fore_joint: -m}, offset: 0.5}
  - {coupling: slot, equation: "sin(shoulder)*m = x**2/(1 + L)", joints: {x: fore_joint}}
independent: [shoulder]
"""


@FUZZ
@given(data=mutations([YAML]))
def test_mutated_yaml_ends_well(data, folder):
    ends_well(data, folder, "mutated.yaml")


scalars = odd_numbers | odd_names | kinds | st.sampled_from(["L", "2*L", "pi/2", "x", "-z", "L/0", "sin(L)"])
values = st.recursive(
    scalars, lambda x: st.lists(x, max_size=4) | st.dictionaries(scalars, x, max_size=3), max_leaves=6
)


def right(usual):
    return mostly(usual, values)


expressions = right(st.floats(-3, 3) | st.sampled_from(["L", "2*L", "-pi/2", "sin(L)"]))
vectors = right(st.lists(expressions, min_size=3, max_size=3))
bodies = st.fixed_dictionaries(
    {"link": right(st.sampled_from("abcdefghijklm"))},
    optional={
        "joint": right(st.sampled_from("nopqrstuvw")),
        "at": vectors,
        "rpy": vectors,
        "mass": right(st.floats(1, 2)),
        "inertia": vectors,
        "limits": right(st.dictionaries(st.sampled_from(["lower", "upper", "velocity"]), expressions)),
        "damping": expressions,
    },
)
typed = st.tuples(
    bodies,
    right(
        st.sampled_from(
            [
                {"type": "helical", "axis": "-y", "pitch": "L"},
                {"type": "universal", "axis2": [0, 1, "L"]},
                {"type": "prismatic", "axis": "x"},
                *({"type": kind} for kind in JOINT_TYPES),
                {"parent": "base", "axis": [1, 2, 3]},
                {"mimic": {"joint": "a_joint"}},
                {"odd": 1},
            ]
        )
    ),
).map(lambda pair: pair[0] | pair[1] if isinstance(pair[1], dict) else pair[0])
documents = st.fixed_dictionaries(
    {
        "parameters": right(st.just({"L": "1"})),
        "bodies": right(st.lists(typed, max_size=4, unique_by=lambda b: str(b["link"]))),
    },
    optional={"name": right(names), "base": right(st.just("base")), "gravity": vectors},
)


@FUZZ
@given(document=documents)
def test_random_yaml_documents_end_well(document, folder):
    ends_well(yaml.safe_dump(document, allow_unicode=True).encode("utf-8", "surrogatepass"), folder, "random.yaml")


@FUZZ
@given(text=st.text(alphabet="[]{}:,-?!&*|>'\"%@# \n\tab1\\x\ufeff", max_size=60) | st.binary(max_size=40))
def test_random_text_ends_well(text, folder):
    for name in ("text.urdf", "text.yaml", "text.sdf"):
        ends_well(text.encode() if isinstance(text, str) else text, folder, name)


@settings(FUZZ, max_examples=20)
@given(seed=st.integers(0, 2**32))
def test_saving_and_loading_any_configuration_of_masses_comes_back(seed, folder):
    rng = np.random.default_rng(seed)
    robot = rich_robot()
    links = [robot.links[0]]
    for link in robot.links[1:]:
        about = rng.normal(size=(3, 3)) * 10.0 ** rng.uniform(-6, 3)
        links.append(replace(link, inertia=SpatialInertia(rng.normal(), rng.normal(size=3), about + about.T)))
    robot = replace(robot, links=tuple(links))
    save(robot, folder / "masses.yaml")
    assert_same(load(folder / "masses.yaml"), robot, 1e-11)
