"""The benchmark program from end to end on one robot, with tiny counts; peers that are absent leave a line."""

from __future__ import annotations

import pytest
from benchmarks.bench import Tools, entries
from benchmarks.optimisation_problems import Chain, swing_up
from benchmarks.peers import exudyn
from benchmarks.results import write
from benchmarks.subjects import SUBJECTS, chosen
from benchmarks.tables import Sheet
from benchmarks.themes import THEMES, cost_model, linear_chain, rollouts, simulation

import screwgraph as sg
from benchmarks import __main__ as program
from benchmarks import native
from screwgraph.optimize import solve
from screwgraph.ui.bench import QUESTIONS, Budget, NotMeasuredError

ELSEWHERE = (
    *("compile", "cost", "closed", "simulation", "energy", "linear", "optimize", "mechanism", "plan", "rollouts"),
    *("inverse", "parameters", "chains", "threads", "incremental", "custom", "legged", "windows", "jax", "first"),
    *("contacts", "terrain", "controller", "mpc", "standing"),
)
"""Themes that have tests of their own: they measure other things than the entries."""
TINY = Budget(seconds=0.002, rounds=3, states=8, batch=16)


@pytest.fixture(autouse=True)
def _no_compiler(monkeypatch, tmp_path):
    """No compiler is here, and nothing is built into the project's folder."""

    def refuse(wanted=None):
        raise NotMeasuredError("no C++ compiler: install one")

    for module in ("benchmarks.bench", "benchmarks.results"):
        monkeypatch.setattr(f"{module}.find_compiler", refuse)
    monkeypatch.setattr(native, "BUILDS", tmp_path / "builds")
    monkeypatch.setattr(program, "QUICK", TINY)
    monkeypatch.setattr(program, "_stay_on_one_core", lambda: None)


@pytest.mark.suite
def test_tables_of_one_robot_are_printed_and_written(tmp_path, capsys):
    target = tmp_path / "RESULTS.md"
    themes = [name for name in THEMES if name not in ELSEWHERE]
    arguments = ["--only", "puma560", "--questions", "inverse", "--themes", ",".join(themes), "--quick"]
    assert program.main([*arguments, "--output", str(target)]) == 0
    printed, written = capsys.readouterr().out, target.read_text()
    for text in ("Operations", "One call in C", "One call from Python", "One sample in a batch", "puma560 (6)"):
        assert text in printed
        assert text in written
    assert "Pinocchio C++ not measured: no C++ compiler: install one" in written
    assert written.partition("## What is not reached")[0].count("\n## ") == len(themes)
    assert written.count("Measured on ") == len(themes)
    assert str(tmp_path) not in written


def test_the_ratio_to_the_peers_operations_is_printed():
    tools = Tools(TINY, None, lambda line: None)
    sheet = THEMES["operations"](entries(chosen(["puma560"]), QUESTIONS[:1], tools), tools)
    (row,) = sheet.rows
    cells = dict(zip(sheet.columns, row, strict=True))
    assert cells["Pinocchio on SX"] == "586"
    assert float(cells["ratio"]) == pytest.approx(int(cells["operations"]) / 586, abs=0.005)


@pytest.mark.suite
def test_every_row_is_as_long_as_its_head():
    tools = Tools(TINY, None, lambda line: None)
    found = entries(chosen(["puma560"]), QUESTIONS[1:3], tools)
    for name, theme in THEMES.items():
        if name not in ELSEWHERE:
            sheet = theme(found, tools)
            assert {len(row) for row in sheet.rows} == {len(sheet.columns)}


@pytest.mark.suite
def test_compile_times_are_those_of_fresh_processes():
    tools = Tools(TINY, None, lambda line: None)
    sheet = THEMES["compile"](entries(chosen(["puma560"]), QUESTIONS[2:3], tools), tools)
    cells = dict(zip(sheet.columns, sheet.rows[0], strict=True))
    assert 0 < float(cells["cold, s"]) < 60
    assert "import screwgraph" in sheet.notes[-1]


def test_an_unknown_robot_is_refused(capsys):
    with pytest.raises(SystemExit):
        program.main(["--only", "robby"])
    assert "'robby' is none of puma560" in capsys.readouterr().err


def test_the_anchors_counts_are_read_as_they_are_written():
    totals = {s.name: {q: c.total for q, c in s.counts.items()} for s in SUBJECTS}
    assert totals["ur5"] == {"inverse": 566, "forward": 1279, "mass_matrix": 272}
    assert totals["talos_reduced"]["forward"] == 13405


def test_costs_that_rank_as_times_do_correlate_fully():
    group = [cost_model.Sampled(str(i), i**2, 10 - i, 1.0 + i) for i in range(4)]
    assert cost_model._ranked(group) == ["4", "1.000", "-1.000", "0 (1.0 ns)", "0 (1.0 ns)", "0%"]
    assert cost_model._ranked(group[:2])[:3] == ["2", "-", "-"]


def test_a_simulated_robot_keeps_its_energy():
    cells = simulation._row(sg.load("rr", damping=False), "rk4")
    assert cells[:2] == ["rr (2, 2)", "rk4"]
    assert float(cells[4]) < 1e-6


def test_other_ways_to_solve_a_chain_agree_with_ours():
    figures = linear_chain.milliseconds(3, 9, TINY)
    assert len(figures) == len(linear_chain.COLUMNS) - 2
    assert min(figures) > 0


@pytest.mark.extra
def test_gtsam_solves_the_same_chain_to_the_same_cost():
    gtsam = pytest.importorskip("gtsam")
    chain = Chain.random(6, 5)
    graph, values = chain.gtsam_graph()
    theirs = gtsam.LevenbergMarquardtOptimizer(graph, values, gtsam.LevenbergMarquardtParams()).optimize()
    assert solve(chain.problem(), {"x": chain.start}).cost == pytest.approx(graph.error(theirs), rel=1e-7)


def test_the_swing_up_of_the_table_reaches_its_goal():
    problem, guess = swing_up(11)
    result = solve(problem, guess)
    assert result.success
    assert result.values["q"][-1] == pytest.approx([1.0, 3.141592653589793], abs=1e-8)


@pytest.mark.filterwarnings("ignore")  # of names that change from version to version of exudyn
@pytest.mark.extra
def test_exudyn_moves_the_same_four_bar():
    pytest.importorskip("exudyn")
    bar = sg.load_mechanism("four_bar_angle")
    theirs = exudyn.four_bar(bar, 0.3, 1e-3).points[-301:]
    ours = sg.simulate(bar, time=0.3, dt=1e-3).q[:, :4]
    assert theirs == pytest.approx(ours, abs=1e-5)


def test_tables_that_are_not_measured_again_stay(tmp_path):
    target = tmp_path / "RESULTS.md"
    first, second = Sheet("One", ("a", "b"), [["1", "2"]]), Sheet("Two", ("a", "b"), [["3", "4"]], ["A note."])
    write(target, ["machine"], [first, second])
    write(target, ["machine"], [Sheet("One", ("a", "b"), [["5", "6"]])], keep=True)
    written = target.read_text()
    assert "| 5 | 6 |" in written
    assert "| 1 | 2 |" not in written
    assert (
        written.index("## One") < written.index("## Two") < written.index("A note.") < written.index("## What is not")
    )
    assert written.count("## What is not reached") == 1


def test_rollouts_and_steps_are_timed_beside_mujoco():
    pytest.importorskip("mujoco")
    cells = dict(zip(rollouts.COLUMNS, rollouts.row("panda", sg.load("panda"), TINY), strict=True))
    assert cells["motions x steps"] == "16 x 1000"
    assert float(cells["mj_step loop, ns"]) > float(cells["a step, ns"]) > 0.0
    assert cells["asked"] == ""


def test_tables_that_stay_say_where_they_were_measured(tmp_path):
    target = tmp_path / "RESULTS.md"
    write(target, ["Processor: one, 2 cores; on one core", "Date: 2026-01-01"], [Sheet("First", ("a",), [["1"]])])
    second = Sheet("Second", ("a",), [["2"]])
    write(target, ["Processor: other, 2 cores", "Date: 2026-01-02"], [second], keep=True)
    write(target, ["Processor: other, 2 cores", "Date: 2026-01-03"], [second], keep=True)
    text = target.read_text()
    assert text.count("Measured on one, 2 cores; 2026-01-01.") == 1
    assert text.count("Measured on other, 2 cores; 2026-01-03.") == 1
    assert "2026-01-02" not in text
