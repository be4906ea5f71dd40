"""The scripts on the papers, with small sweeps: reach against published programs, independent sums."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.model.robot import without_loops
from tests.robots import robot_file

EXAMPLES = Path(__file__).resolve().parents[1] / "examples"


@pytest.fixture(autouse=True)
def _beside_the_scripts(monkeypatch, tmp_path):
    """Scripts import their neighbours, and write into the folder that they are started in."""
    monkeypatch.syspath_prepend(str(EXAMPLES))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", ["example", "--quick"])


@pytest.mark.parametrize("kind", ["rotor", "belt", "four_bar"])
def test_chains_take_at_most_six_tenths_of_the_published_instructions(kind):
    import chignoli_2023_chains
    from chignoli_2023_common import Question, counted

    for depth in (1, 4):
        count = counted(Question(chignoli_2023_chains.chain, (kind, depth), ("embedding",)))
        assert count["embedding"].instructions <= 0.6 * chignoli_2023_chains.PUBLISHED[kind, 1, depth][0]


@pytest.mark.parametrize("kind", ["coupling", "rod"])
def test_auto_is_never_worse_than_the_better_of_embedding_and_kkt(kind):
    from chignoli_2023_common import Question, counted
    from chignoli_2023_loop_size import branches

    count = counted(Question(branches, (5, 4, kind)))
    numbers = {order: found.instructions for order, found in count.items()}
    assert numbers["auto"] <= min(numbers["embedding"], numbers["kkt"])


@pytest.mark.suite
def test_sweeps_are_printed_and_drawn(monkeypatch, capsys):
    import chignoli_2023_chains
    import chignoli_2023_common as common
    import chignoli_2023_legged
    import chignoli_2023_loop_size

    def made_up(questions, what):
        return [{order: common.Count(1000 + 100 * i, order) for order in q.orders} for i, q in enumerate(questions)]

    monkeypatch.setattr(common, "counts", made_up)
    monkeypatch.setattr(chignoli_2023_chains, "KINDS", {"rotor": "link and rotor"})
    chignoli_2023_chains.main()
    chignoli_2023_loop_size.main()
    chignoli_2023_legged.draw({"tello": dict.fromkeys(chignoli_2023_legged.BARS, common.Count(4000, "aba"))})
    assert "link and rotor" in capsys.readouterr().out
    drawn = {path.stem for path in Path("out").iterdir()}
    assert drawn == {f"chignoli-2023-{name}" for name in ("fig8-chains", "fig10-loop-size", "fig12-legged")}


def test_the_approximate_tree_has_the_joints_that_drive_and_the_rotors_inertia():
    from chignoli_2023_rotors import without_rotors

    leg = sg.load("belt_leg")
    tree = without_rotors(leg, reflected=True)
    assert tree.joint_names == leg.independent_joints
    assert not tree.is_closed
    gears = {"hip": 6.0, "knee": 9.0, "ankle": 9.0}
    for name, gear in gears.items():
        (rotor,) = (c for c in leg.couplings if c.name and f"{name}_motor" in c.joints)
        body = leg.link(leg.joint(f"{name}_motor").child).inertia
        axis = np.asarray(leg.joint(f"{name}_motor").type.axis)
        assert tree.joint(name).armature == pytest.approx(gear**2 * axis @ body.about_com @ axis), rotor
    assert {joint.armature for joint in without_rotors(leg, reflected=False).joints} == {0.0}


def test_the_legs_exact_torques_are_the_trees_carried_to_the_joints_that_drive():
    import chignoli_2023_torque_error as script

    leg, t = sg.load("belt_leg"), np.linspace(0.0, 1.0, 7)
    y, yd, ydd = script.motion(3, t)
    G = np.array([leg.complete_velocity(leg.neutral(), e) for e in np.eye(3)]).T
    every = sg.inverse_dynamics(without_loops(leg))(y @ G.T, yd @ G.T, ydd @ G.T)
    efforts = script.torques(leg, t)
    np.testing.assert_allclose(efforts["rotors and belt"], every @ G, rtol=1e-9, atol=1e-9)
    wrong = {name: script.rms(found - every @ G) for name, found in efforts.items()}
    assert wrong["rotors and belt"] < 1e-9 < wrong["rotors reflected"] < wrong["no rotors"]


@pytest.mark.suite
def test_torque_errors_are_printed_and_drawn(capsys):
    import chignoli_2023_torque_error

    chignoli_2023_torque_error.main()
    assert "RMS error" in capsys.readouterr().out
    assert Path("out/chignoli-2023-fig13-torque-error.svg").exists()


def test_a_chain_with_rotors_takes_hardly_more_than_without():
    from chignoli_2023_robots import chain
    from chignoli_2023_rotors import without_rotors

    robot = chain("rotor", 3)
    whole = sg.forward_dynamics(robot, ordering="embedding").operations.total
    tree = sg.forward_dynamics(without_rotors(robot, reflected=True), ordering="aba").operations.total
    assert tree < whole <= 1.3 * tree


@pytest.mark.suite
def test_mini_cheetah_with_rotors_takes_hardly_more_than_without():
    import chignoli_2023_legged
    from chignoli_2023_common import Question, counted

    robot_file("mini_cheetah.urdf")
    whole = counted(Question(chignoli_2023_legged.load, ("mini_cheetah", False), ("embedding",)))["embedding"]
    tree = counted(Question(chignoli_2023_legged.load, ("mini_cheetah", True), ("aba",)))["aba"]
    assert whole.instructions <= 0.4 * chignoli_2023_legged.PUBLISHED["mini_cheetah"]["embedding"]
    assert whole.instructions <= 1.3 * tree.instructions


def test_parallel_structure_and_speed_up_are_printed(capsys):
    import xie_2019_parallel as script

    console, arm = script.Console(width=118), sg.load("rrr")
    script.report(console, "RRR", arm, ("crba", "aba"))
    script.speed_up(console, arm, "aba", 0.05)
    printed = capsys.readouterr().out
    assert "cliques" in printed
    assert "ns a state" in printed or "one core" in printed


def test_two_cores_compute_what_one_does():
    import xie_2019_cores as script

    cores = sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else []
    if len(cores) < 2 or not shutil.which("cc"):
        pytest.skip("two cores and a C compiler, cc")
    robot = script.branching(6)
    split = script.Split.of(robot, sg.forward_dynamics(robot, ordering="aba"))
    assert {*split.core} == {-1, 0, 1}
    assert split.longest < split.f.operations.total
    assert script.run(split, robot, 0.01, cores).error < 1e-12


@pytest.mark.parametrize("order", ["rnea", "kkt", "embedding", "colamd"])
def test_the_five_bar_has_the_same_answers_in_any_order(order):
    import xie_2019_five_bar as script

    robot = sg.load("five_bar")
    q, qd, qdd, tau = script.motion(robot)
    operations, difference = script.solved(
        lambda name: sg.forward_dynamics(robot, ordering=name), order, (q, qd, tau), qdd
    )
    assert int(operations) < 500
    assert float(difference) < 1e-12


@pytest.mark.suite
def test_forward_dynamics_of_the_four_bar_is_printed_beside_its_table_and_drawn(capsys):
    import blanco_2021_forward

    blanco_2021_forward.main()
    printed = capsys.readouterr().out
    assert "3.11773" in printed
    assert "9.8021" in printed
    assert {path.name for path in Path("out").iterdir()} >= {
        "blanco-2021-fig7-four-bar.svg",
        "blanco-2021-fig8-constraints.png",
    }


def test_inverse_dynamics_of_mechanisms_is_printed_and_drawn(capsys):
    import blanco_2021_inverse

    blanco_2021_inverse.main()
    assert "5.3" in capsys.readouterr().out
    assert Path("out/blanco-2021-fig9-four-bar-inverse.svg").exists()


@pytest.mark.suite
def test_the_robots_torques_along_the_papers_corner_are_the_reference():
    import blanco_2021_inverse as script

    found = script.solved("parallel_robot", script.corner(500), rounds=1)
    rows = script.reference("parallel_robot_inverse_dynamics")
    for t, *torques in rows[:3]:
        np.testing.assert_allclose(found.solution.tau[round(t / 0.01)], torques, rtol=1e-6)


def test_a_panda_is_identified(capsys):
    import identify_panda

    identify_panda.main()
    printed = capsys.readouterr().out
    assert "50 combinations of 77 parameters" in printed
    inside, of = printed.split("within three standard deviations: ")[1].split("\n")[0].split(" of ")
    assert int(inside) >= int(of) - 2
    assert sg.load("out/panda-identified.yaml").mass > 0.0
