"""Mechanism files and arguments that are wrong end in one clear line, with the file and the line of the file."""

import re
from importlib.resources import files

import pytest

import screwgraph as sg
from screwgraph.mechanics.mechanism import finite_displacement
from screwgraph.model.mechanism.equations import mass_matrix

GOOD = """\
parameters: {L: 1.0}
points:
  - {x: 0, y: 0, fixed: true}
  - {x: L, y: 0}
  - {x: L, y: 2*L}
  - {x: 4, y: 0, fixed: true}
bodies:
  - {points: [0, 1], length: L, mass: 1, I0: 1/3, cog: [0.5, 0]}
  - {points: [1, 2], length: 2*L, mass: 2, I0: (1/3)*mass*length^2, cog: [0.5*length, 0]}
  - {points: [2, 3], mass: 4, I0: (1/3)*mass*length^2, cog: [0.5*length, 0]}
angles:
  - {angle: theta, of: [0, 1]}
"""

BAD = {
    "angle without a name": (
        ("angle: theta, of", "of"),
        r":12: there is no name under 'angle' \(add angle: and its name\)",
    ),
    "unknown key": (
        ("length: L,", "lenght: L,"),
        r":8: body '0': there is no key 'lenght' \(did you mean 'length'\?\)",
    ),
    "unknown section": (("angles:", "angels:"), r"there is no key 'angels' \(did you mean 'angles'"),
    "undefined parameter": (("x: L, y: 0", "x: LL, y: 0"), r":4: point 1: x is 'LL': no parameter is called 'LL'"),
    "cyclic parameter": (("{L: 1.0}", "{L: M, M: 2*L}"), r":1: parameter 'L' depends on itself: L -> M -> L"),
    "call": (("2*L, mass: 2", "open('x'), mass: 2"), r":9: body '1': length is "),
    "import": (("{L: 1.0}", "{L: __import__('os').getpid()}"), r":1: parameter 'L' is "),
    "attribute": (("{L: 1.0}", "{L: (1).real}"), r":1: parameter 'L' is "),
    "zero length": (
        ("length: L,", "length: L - 1,"),
        r":8: body '0' has the length 0: the length of a body is positive",
    ),
    "coinciding points": (("x: L, y: 2*L", "x: 4, y: 0"), r":10: body '2' has the length 0: its first two points"),
    "one point": (("points: [0, 1]", "points: [0]"), r":8: body '0' has the points \['0'\]: a body has two points"),
    "point twice": (("points: [0, 1]", "points: [1, 1]"), r":8: body '0' has the points"),
    "no such point": (("points: [2, 3]", "points: [2, 7]"), r":10: body '2': points: there is no point '7'"),
    "impossible closure": (
        ("length: 2*L", "length: 9*L"),
        r"bad.yaml:9: .* cannot be assembled: body '1' is 9 m long where its points lie 2 m apart",
    ),
    "no mass centre": ((", cog: [0.5, 0]", ""), r":8: body '0' has a mass and no centre of mass"),
    "small inertia": (("I0: 1/3", "I0: 0.1"), r":8: body '0' has the inertia 0.1 about its first point"),
    "negative mass": (("mass: 4", "mass: -4"), r":10: body '2' has the mass -4"),
    "not a number": (("mass: 4", "mass: [4]"), r":10: body '2': mass is a list of 1: it must be a number"),
    "constant angle": (("of: [0, 1]", "of: [0, 3]"), r":12: angle 'theta' is constant"),
    "no such motor": (("angles:\n", "motors: [phi]\nangles:\n"), r"there is no coordinate 'phi'"),
    "no such coordinate": (("angles:\n", "independent: [phi]\nangles:\n"), r":11: there is no coordinate 'phi'"),
    "too many independent": (
        ("angles:\n", "independent: [theta, 'x:2']\nangles:\n"),
        r"names 2 independent coordinates and has 1 degree of",
    ),
    "zero ratio": (
        ("angles:\n", "gears: [{gear: g, angles: [theta, theta], ratio: 0}]\nangles:\n"),
        r":11: gear 'g': angles is a list of 2: its two angles are one",
    ),
    "spring on nothing": (
        ("angles:\n", "springs: [{spring: s, stiffness: 1, rest: 0}]\nangles:\n"),
        r":11: spring 's' has neither 'between' and 'angle'",
    ),
    "missing key": (
        ("angles:\n", "dampers: [{damper: d, angle: theta}]\nangles:\n"),
        r":11: damper 'd' has no damping",
    ),
    "constant": (("  - {x: L, y: 0}", "  - {x: L, y: 0, fixed: 1}"), r":4: point 1: fixed is '1': it must be true or"),
}


@pytest.mark.parametrize("case", BAD)
def test_a_bad_file_is_one_clear_line(case, tmp_path):
    (old, new), message = BAD[case]
    assert old in GOOD
    path = tmp_path / "bad.yaml"
    path.write_text(GOOD.replace(old, new))
    with pytest.raises(sg.ModelError, match=message) as caught:
        sg.load_mechanism(path)
    assert "\n" not in str(caught.value)
    assert "bad.yaml" in str(caught.value)


def test_redundant_constraints_that_contradict_each_other_are_refused(tmp_path):
    """A plate whose rods are 1 m and 1.2 m apart at the same angles: a parallelogram with a third, longer rod."""
    source = """\
points:
  - {x: 0, y: 0, fixed: true}
  - {x: 2, y: 0, fixed: true}
  - {x: 0, y: 1}
  - {x: 2, y: 1}
  - {x: 1, y: 0, fixed: true}
  - {x: 1, y: 1}
bodies:
  - {points: [0, 2], length: 1}
  - {points: [1, 3], length: 1}
  - {name: third, points: [4, 5], length: LENGTH}
  - {points: [2, 3, 5], shape: [[0, 0], [2, 0], [1, 0]], mass: 1, I0: 2, cog: [1, 0]}
"""
    path = tmp_path / "parallelogram.yaml"
    path.write_text(source.replace("LENGTH", "1"))
    model = sg.load_mechanism(path)
    assert (model.dof, len(model.freedom.kept)) == (1, 5)
    path.write_text(source.replace("LENGTH", "1.001"))
    with pytest.raises(sg.ModelError, match=r"parallelogram.yaml:\d+: .* redundant constraints contradict"):
        sg.load_mechanism(path)


def test_listing_1_of_the_paper_is_read_as_it_is(tmp_path):
    path = tmp_path / "listing.yaml"
    path.write_text(
        """%YAML 1.2
---
parameters:
 L: 1.0 # length [m]
 xb: 4.0
points:
 - {x: 0, y: 0, fixed: true}
 - { x: L, y: 0 }
 - { x: L, y: 2*L }
 - { x: xb, y: 0, fixed: true }
planar_bodies:
  - points: [0, 1]
    length: L
    mass: 1.0
    I0: (1/3)*mass*length^2
    cog: [0.5*length, 0.0]
  - points: [1, 2]
    length: 2*L
    mass: 2.0
    I0: (1/3)*mass*length^2
    cog: [0.5*length, 0.0]
  - points: [2, 3]
    length: auto
    mass: 4.0
    I0: (1/3)*mass*length^2
    cog: [0.5*length, 0.0]
"""
    )
    assert (mass_matrix(sg.load_mechanism(path)) == mass_matrix(sg.load_mechanism("four_bar"))).all()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda m: sg.load_mechanism("four_baz"), "no built-in mechanism is called 'four_baz'"),
        (lambda m: sg.load_mechanism("pendulum_0"), "no pendulum has 0 rods"),
        (lambda m: sg.simulate(m, time=-1), "time = -1 is not a positive"),
        (lambda m: sg.simulate(m, method="rk5"), "no method is called 'rk5'"),
        (lambda m: sg.simulate(m, [1, 2]), "q0 is not 4 finite numbers"),
        (lambda m: sg.simulate(m, None, [1, 0, 0, 0]), "the velocity qd0 is off by 1 from what the constraints allow"),
        (lambda m: sg.simulate(m, tau=[1]), "tau is not 0 finite numbers: the mechanism has no motors"),
        (lambda m: sg.simulate(m).path(9), "there is no point 9"),
        (lambda m: sg.simulate(m).coordinate("phi"), "no coordinate is called 'phi'"),
        (lambda m: sg.inverse_dynamics(m), "has no motors"),
        (lambda m: sg.hybrid_dynamics(m, ()), "has no motors"),
        (lambda m: finite_displacement(m, m.home, {"x:P1": "a"}), "the value 'a' of 'x:P1' is not a finite"),
    ],
)
def test_bad_arguments_are_refused_in_one_line(call, message):
    with pytest.raises(sg.InputError, match=message) as caught:
        call(sg.load_mechanism("four_bar"))
    assert "\n" not in str(caught.value)


def test_a_mechanism_that_moves_no_mass_is_refused(tmp_path):
    path = tmp_path / "massless.yaml"
    path.write_text("points: [{x: 0, y: 0, fixed: true}, {x: 1, y: 0}]\nbodies: [{points: [0, 1]}]\n")
    with pytest.raises(sg.InputError, match="can move without moving any mass"):
        sg.simulate(sg.load_mechanism(path))


TOO_LONG = {"four_bar": ("crank", "coupler", "rocker"), "parallel_robot": ("stay_left", "motor_left", "rod_right")}
TOO_SHORT = {"four_bar": ("rocker",), "parallel_robot": ("stay_left", "motor_left", "forearm_right")}


@pytest.mark.parametrize(("factor", "bodies"), [(10.0, TOO_LONG), (0.1, TOO_SHORT)])
@pytest.mark.parametrize("name", TOO_LONG)
@pytest.mark.sampled(4)
def test_the_body_whose_length_is_wrong_is_named_with_its_line(name, factor, bodies):
    """Not the body that the search leaves unclosed: that is the one that gives way most easily."""
    whole, path = sg.load_mechanism(name), files("screwgraph") / "model" / "zoo" / "mechanisms" / f"{name}.yaml"
    lines = path.read_text().splitlines()
    for body in (body for body in whole.bodies if body.name in bodies[name]):
        length, line = float(body.length), next(i for i, text in enumerate(lines, 1) if f"name: {body.name}," in text)
        wrong = f"body '{body.name}' is {factor * length:.6g} m long where its points lie {length:.6g} m apart"
        with pytest.raises(sg.ModelError, match=rf"{name}.yaml:{line}: .*{re.escape(wrong)}"):
            sg.load_mechanism(name, {f"length:{body.name}": factor * length})
