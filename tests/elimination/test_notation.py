"""Listings can be worked through by hand: their formulas, evaluated as they stand, give Pinocchio's answer."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.elimination.notation import to_accented_html, to_latex
from screwgraph.spatial import Ad, ad
from screwgraph.ui.draw.algorithm import wrap_formula
from tests.oracle import oracle

TOKEN = re.compile(r"\[[^\]]*\]ᵀ?|[KkD]\([^)]*\)(?:⁻¹)?|[^\s()+−]+|[()+−]")


def value(formula: str, known: dict[str, Any]) -> np.ndarray:
    """Evaluate a formula of a listing; names stand for matrices, neighbours are multiplied."""
    python, before = [], ""
    for token in TOKEN.findall(formula):
        if token in "()+−":
            joins = "@" if token == "(" and before not in ("", "(", "+", "−") else ""
            python.append(joins + token.replace("−", "-"))
        else:
            joins = "@" if before not in ("", "(", "+", "−") else ""
            transposed, inverted = token.endswith("ᵀ"), token.endswith("⁻¹")
            name = f"known[{token.removesuffix('ᵀ').removesuffix('⁻¹')!r}]"
            python.append(joins + (f"np.linalg.inv({name})" if inverted else f"{name}.T" if transposed else name))
        before = token
    return eval("".join(python), {"known": known, "np": np})


def symbols(robot: sg.Robot, q: np.ndarray, qd: np.ndarray, tau: np.ndarray) -> dict[str, Any]:
    """Return what the names of a listing stand for at a state."""
    known: dict[str, Any] = {"V̇0": np.zeros((6, 1)), "V0": np.zeros((6, 1))}
    known["g0"] = np.concatenate([np.zeros(3), robot.gravity])[:, None]
    V = {0: np.zeros((6, 1))}
    for n, joint in enumerate(robot.joints, 1):
        p = robot.link_index(joint.parent)
        T, A = joint.T_child_parent(q[n - 1 : n]), joint.type.screw_axes(q[n - 1 : n])
        V[n] = Ad(T) @ V[p] + A * qd[n - 1]
        known[f"[Ad_T{n},{p}(θ{n})]"], known[f"A{n}"], known[f"[ad_V{n}]"] = Ad(T), A, ad(V[n][:, 0])
        known[f"G{n}"] = robot.links[n].inertia.matrix()
        known |= {f"θ̇{n}": np.array([[qd[n - 1]]]), f"τ{n}": np.array([[tau[n - 1]]])}
        known |= {f"d{n}": np.array([[joint.damping]]), f"J{n}": np.array([[joint.armature]])}
    return known


@pytest.mark.parametrize(
    ("model", "ordering"), [("rrr", "aba"), ("rrr", "composite"), ("panda", "aba"), ("rr", "crba")]
)
def test_a_listing_worked_through_by_hand_gives_the_accelerations(model, ordering):
    robot, rng = sg.load(model), np.random.default_rng(1)
    q, qd, tau = robot.random(rng), rng.standard_normal(robot.nv), rng.standard_normal(robot.nv)
    dag = sg.eliminate(sg.dynamics_graph(robot).given("q", "qd", "tau"), ordering)
    known = symbols(robot, q, qd, tau)
    for line in dag.listing():
        known[line.left] = value(line.right, known)
    found = np.array([known[f"θ̈{n + 1}"][0, 0] for n in range(robot.nv)])
    expected = oracle(robot).forward_dynamics(q, qd, tau)
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-9 * abs(expected).max())


def test_inertias_and_forces_have_the_names_of_the_field():
    def notes(ordering: str) -> dict[str, str]:
        dag = sg.eliminate(sg.dynamics_graph(sg.load("rrr")).given("q", "qd", "tau"), ordering)
        return {line.left: line.note for line in dag.listing() if line.number is None}

    assert notes("aba")["K(F2,V̇2)"] == "articulated inertia"
    assert notes("composite")["K(F2,V̇2)"] == "composite inertia"
    assert notes("aba")["k(F1)"] == "bias force"


def test_blocks_that_several_laws_gave_are_not_defined():
    dag = sg.eliminate(sg.dynamics_graph(sg.load("rrr")).given("q", "qd", "tau"), "articulated")
    assert {line.number for line in dag.listing() if line.part != "motion"} == set(range(1, 10))
    assert "from torque 1, wrench 1" in dag.algorithm()


def test_latex_has_accents_indices_and_script_letters():
    assert to_latex("[Ad_T3,2(θ3)]ᵀ F3") == r"[\mathrm{Ad}_{T_{3,2}(\theta_{3})}]^{\top}\,\mathcal{F}_{3}"
    assert to_latex("K(θ̈12,V̇11)") == r"K(\ddot{\theta}_{12},\dot{\mathcal{V}}_{11})"
    text = sg.inverse_dynamics(sg.load("rrr"), ordering="rnea").algorithm("latex")
    assert text.count(r"\\") == 14  # between fifteen rows
    assert text.isascii()
    assert r"\text{}" not in text
    assert sg.eliminate(sg.dynamics_graph(sg.load("rr")).given("q", "qd", "qdd"), [], []).algorithm("latex") == ""


def test_twists_stand_above_where_laws_need_them_and_no_others():
    still = sg.eliminate(sg.dynamics_graph(sg.load("rr", gravity=(0, 0, 0))).given("q", "qd", "qdd"), "rnea")
    assert [line.left for line in still.listing() if line.part == "motion"] == ["V1", "V2"]
    floating = sg.eliminate(sg.dynamics_graph(sg.load("rr", base="floating")).given("q", "qd", "qdd"), "rnea")
    rows = [line for line in floating.listing() if line.part == "motion"]
    assert [line.left for line in rows] == ["V1", "V2", "V3", "g1", "g2", "g3"]


def test_html_has_no_combining_marks():
    page = sg.forward_dynamics(sg.load("rrr"), ordering="aba").algorithm("html")
    assert not {"\u0307", "\u0308"} & set(page)
    assert to_accented_html("a < θ̈") == f"a &lt; {to_accented_html('θ̈')}"
    assert "\u00a8" in to_accented_html("θ̈")


def test_an_unknown_form_is_refused():
    with pytest.raises(sg.InputError, match="form of a listing"):
        sg.inverse_dynamics(sg.load("rr"), ordering="rnea").algorithm("rtf")


def test_long_formulas_break_before_a_sign():
    formula = " + ".join(["A1ᵀ G1"] * 40)
    rows = wrap_formula(formula, 50)
    assert " ".join(rows) == formula
    assert max(map(len, rows)) <= 52
    assert all(row.startswith("+") for row in rows[1:])


def test_notes_stand_in_one_column_and_latex_has_no_empty_row():
    dag = sg.forward_dynamics(sg.load("rrr"), ordering="crba").dag
    accents = str.maketrans("", "", "\u0307\u0308")
    notes = ("composite inertia ;", "bias force ;", "inertia along the joint's axes ;")
    lines = [line.translate(accents) for line in dag.algorithm("text").splitlines()]
    starts = [line.index(note) for line in lines for note in notes if line.endswith(f"  {note}") and len(line) < 120]
    assert len(starts) > 1
    assert len(set(starts)) == 1
    *rows, last, end = dag.algorithm("latex").splitlines()[1:]
    assert end == r"\end{align*}"
    assert all(row.endswith(r" \\") for row in rows)
    assert not last.endswith("\\")
