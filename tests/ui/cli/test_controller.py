"""`screwgraph controller`: a library for other programs, or one clear line."""

from __future__ import annotations

import pytest

TASKS = "tasks: [{frame: link2, of: position, stiffness: 200}, {posture: [], weight: 1e-4}]"


@pytest.fixture
def tasks(tmp_path):
    (tmp_path / "tasks.yaml").write_text(TASKS)
    return tmp_path / "tasks.yaml"


def test_files_and_gains(command, tasks, tmp_path):
    result = command("controller", "rr", "--tasks", tasks, "--lang", "c", "-o", tmp_path / "code")
    assert (result.status, result.err) == (0, "")
    assert "gains of link2_position: 200 28.2843 1" in result.out
    assert "rr_controller(const double q[2]" in (tmp_path / "code" / "rr.h").read_text()


def test_names_and_references(command, tmp_path):
    """Two tasks of one kind are two arguments; what no position says stands in the file."""
    tasks, out = tmp_path / "tasks.yaml", tmp_path / "motion.csv"
    entries = "{effort: yes, name: push, weight: 1e-3}, {posture: [joint1], name: first}, {posture: [joint2]}"
    tasks.write_text(f"tasks: [{entries}]\nreferences: {{push: [1, 2], first: 0.1}}")
    result = command("controller", "rr", "--tasks", tasks, "--lang", "c", "-o", tmp_path / "code")
    assert (result.status, result.err) == (0, "")
    assert "reference push: 1 2" in result.out
    header = (tmp_path / "code" / "rr.h").read_text()
    assert "const double push[2], const double first[1], const double first_rates[2]" in " ".join(header.split())
    result = command("simulate", "rr", "--controller", tasks, "--time", "0.1", "--dt", "1e-2", "-o", out)
    assert "error of first: largest" in result.out


def test_impedances_are_told(command, tmp_path):
    """They are an argument of the code, too."""
    tasks = tmp_path / "tasks.yaml"
    tasks.write_text("tasks: [{impedance: link2, of: position, stiffness: [100, 400, 900], inertia: 4}]")
    result = command("controller", "rr", "--tasks", tasks, "--lang", "c", "-o", tmp_path / "code")
    assert (result.status, result.err) == (0, "")
    assert "reference link2_position_impedance: 100 400 900 40 80 120 4 4 4" in result.out


def test_mechanisms(command, tmp_path):
    tasks = tmp_path / "tasks.yaml"
    tasks.write_text("tasks: [{posture: []}]\nlimits: {efforts: {theta: 90}}")
    given = "controller", "four_bar_angle", "--set", "mass:coupler=3", "--tasks", tasks, "--lang", "c"
    result = command(*given, "-o", tmp_path / "code")
    assert (result.status, result.err) == (0, "")
    assert "four_bar_angle_controller(const double q[5]" in (tmp_path / "code" / "four_bar_angle.h").read_text()


def test_what_cannot_be_is_one_line(command, tasks, tmp_path):
    for arguments, complaint in (
        (("cart_pole", "--tasks", tasks, "--lang", "c"), "a task: no frame is called 'link2'"),
        (("rr", "--tasks", tasks, "--lang", "numpy"), "'numpy' is not one of"),
        (("rr", "--tasks", tmp_path / "none.yaml", "--lang", "c"), "there is no such file"),
        (("rr", "--lang", "c"), "--tasks"),
        (("rr", "--tasks", tasks, "--lang", "c", "--prefix", "a b"), "a b"),
    ):
        result = command("controller", *arguments, "-o", tmp_path / "other")
        assert result.status != 0
        assert complaint in result.err
        assert len(result.err.splitlines()) == 1


def test_a_simulation_has_the_torques_of_a_file_of_tasks(command, tasks, tmp_path):
    out = tmp_path / "motion.csv"
    result = command("simulate", "rr", "--controller", tasks, "--time", "0.1", "--dt", "1e-2", "-o", out)
    assert result.status == 0
    assert "by semi_implicit" in result.out
    assert "states: 11 solved" in result.out
    assert "error of posture: largest" in result.out
    (tmp_path / "state.json").write_text('{"tau": {"joint1": 2}}')
    for arguments, complaint in (
        (("four_bar", "--controller", tasks), "no body or point is called 'link2'"),
        (("rr", "--controller", tasks, "--state", tmp_path / "state.json"), "--controller"),
        (("rr", "--controller", tmp_path / "none.yaml"), "there is no such file"),
    ):
        result = command("simulate", *arguments, "--time", "0.1", "-o", tmp_path / "other.csv")
        assert result.status != 0
        assert complaint in result.err
        assert len(result.err.splitlines()) == 1


def test_angles_in_degrees_are_doubted_in_all_files(command, tmp_path):
    tasks, state, horizon = (tmp_path / name for name in ("tasks.yaml", "state.json", "horizon.yaml"))
    tasks.write_text("tasks: [{posture: []}]\nreferences: {posture: [0, 45, 0, -1.5, 0, 1.5, 0]}")
    state.write_text('{"q": [60, 0, 0, -1.5, 0, 1.5, 0]}')
    given = ("panda", "--state", state, "--controller", tasks, "--time", 2e-3, "--dt", 1e-3)
    result = command("simulate", *given, "-o", tmp_path / "motion.csv")
    assert result.status == 0
    lines = result.err.splitlines()
    assert lines[0].startswith(f"warning: {state}: q of 'panda_joint1' is 60: its range is -2.897 to 2.897 rad")
    assert lines[1].startswith(f"warning: {tasks}:2: posture: the reference of 'panda_joint2' is 45")
    assert "deg2rad(45)" in lines[1]
    result = command("controller", "panda", "--tasks", tasks, "--lang", "c", "-o", tmp_path / "code")
    assert (result.status, result.err) == (0, f"{lines[1]}\n")
    horizon.write_text("horizon: 2\nnear:\n- 90\n- -1.5\n- -1")
    result = command("mpc", "four_bar_linkage", "--horizon", horizon, "--lang", "c", "-o", tmp_path / "tick")
    assert result.err.startswith(f"warning: {horizon}:3: near: the position of 'joint1' is 90")
