"""Conformance: every command of the command line gives for every model what the query in Python gives, or refuses it.

`TABLE` says of each command its check, and of each model that has no answer the line on stderr.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.compiler import Library, library_code
from screwgraph.ui.cli import run
from tests.api.queries.answers import (
    DT,
    STEP,
    STEPS,
    TIME,
    estimated,
    followed,
    goal_of,
    observations,
    planned,
    simulated,
    start_of,
    trajectory,
)
from tests.api.queries.models import LARGE, MECHANISMS, MODELS, OWN, held_joint, model_of

NO_MOTORS = "has no motors"


@dataclass(frozen=True)
class Cell:
    """The check of a command, and by model what a refusal says."""

    check: Callable[..., None]
    refused: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Shell:
    """Runs commands about one model in a folder."""

    name: str
    folder: Path
    captured: Any

    def path(self, name: str) -> str:
        return str(self.folder / name)

    @property
    def model(self) -> tuple[str, ...]:
        """The arguments that name the model: a built-in one, or a file."""
        if self.name in OWN:
            sg.save(model_of(self.name), self.path("model.yaml"))
            return (self.path("model.yaml"),)
        return (self.name, "--base", "floating") if self.name == "a1" else (self.name,)

    def load_model(self) -> Any:
        """Return the model as commands read it: files round frames by 1e-16."""
        return sg.load(self.model[0]) if self.name in OWN else model_of(self.name)

    def command(self, verb: str, *arguments: object) -> str:
        """Run a command and return what it printed; a refusal raises InputError with the line that it printed."""
        self.captured.readouterr()
        status = run([verb, *map(str, arguments)])
        streams = self.captured.readouterr()
        if status:
            raise sg.InputError(streams.err.removesuffix("\n"))
        return streams.out

    def table(self, name: str, columns: Mapping[str, np.ndarray]) -> str:
        """Write columns to a .csv file."""
        rows = np.column_stack(list(columns.values()))
        np.savetxt(self.path(name), rows, delimiter=",", header=",".join(columns), comments="", fmt="%.17g")
        return self.path(name)


def info(shell: Shell) -> None:
    """Its numbers are the model's."""
    found, model = json.loads(shell.command("info", *shell.model, "--json")), model_of(shell.name)
    assert found["name"] == model.name
    size = found["n"] if shell.name in MECHANISMS else found["nv"]
    assert size == (model.n if shell.name in MECHANISMS else model.nv)


def solve(problem: str, shell: Shell) -> None:
    """The result is that of the function of this problem at the state that is printed."""
    joint, _ = held_joint(shell.name)
    options = ("--accelerations", joint) if problem == "hybrid" else ()
    found = json.loads(shell.command("solve", *shell.model, "--problem", problem, *options, "--json"))
    model = model_of(shell.name)
    make: Mapping[str, Callable[[], sg.Function]] = {
        "inverse": lambda: sg.inverse_dynamics(model),
        "forward": lambda: sg.forward_dynamics(model),
        "hybrid": lambda: sg.hybrid_dynamics(model, [joint]),
    }
    arrays = [np.array(found[name]) for name in ("q", "qd", "given")]
    expected = make[problem]()(*(a for a in arrays if a.size))
    np.testing.assert_allclose(found["result"], expected, rtol=1e-9, atol=1e-9 * np.abs(expected).max(initial=0.0))


def kinematics(shell: Shell) -> None:
    """Poses and velocities are those of the functions at the state that is printed."""
    model = model_of(shell.name)
    frame = model.points[0].name if shell.name in MECHANISMS else model.links[-1].name
    found = json.loads(shell.command("kinematics", *shell.model, "--frames", frame, "--random", 2, "--json"))
    q, qd = np.array(found["q"]), np.array(found["qd"])
    np.testing.assert_allclose(found["poses"], sg.forward_kinematics(model, [frame])(q), atol=1e-12)
    expected = sg.frame_velocity(model, frame)(q, qd)
    np.testing.assert_allclose(np.array(found["velocities"])[:, 0], expected, atol=1e-11)


def simulate(method: str, shell: Shell) -> None:
    """The motion that is saved is that of `sg.simulate`."""
    start = start_of(shell.name)
    Path(shell.path("start.json")).write_text(json.dumps({"q": None if start is None else start.tolist()}))
    state = () if start is None else ("--state", shell.path("start.json"))
    options = ("--time", TIME, "--dt", DT, "--method", method, "-o", shell.path("run.npz"))
    shell.command("simulate", *shell.model, *state, *options)
    np.testing.assert_allclose(np.load(shell.path("run.npz"))["q"], simulated(shell.name, method).q, atol=1e-9)


def inverse(shell: Shell) -> None:
    """The torques that are saved are those of `sg.inverse_trajectory`."""
    table = shell.table("path.csv", trajectory(shell.name))
    shell.command("inverse", *shell.model, "--trajectory", table, "-o", shell.path("tau.npz"))
    expected = followed(shell.name).run.tau
    found = np.load(shell.path("tau.npz"))["tau"]
    np.testing.assert_allclose(found, expected, atol=1e-6 * max(1.0, np.abs(expected).max()))


def plan(shell: Shell) -> None:
    """The plan that is saved is that of `sg.plan`."""
    joint, _, target = goal_of(shell.name)
    kind = "mechanism" if shell.name in MECHANISMS else "robot"
    model: Any = {"file": shell.model[0], "base": "floating"} if shell.name == "a1" else shell.model[0]
    task = {
        kind: model,
        "horizon": {"steps": STEPS, "dt": STEP},
        "goals": [{"time": "end", "position": {joint: target}}],
    }
    Path(shell.path("task.yaml")).write_text(json.dumps(task))
    printed = json.loads(shell.command("plan", shell.path("task.yaml"), "-o", shell.path("plan"), "--json"))
    assert printed["status"].startswith("solved")
    np.testing.assert_allclose(np.load(shell.path("plan/plan.npz"))["q"], planned(shell.name).q, atol=1e-6)


def estimate(shell: Shell) -> None:
    """The mass is that of `sg.estimate`.

    Of Cassie's leg, normal equations have a condition number of 1e15: frames that differ by 1e-16 change the standard
    deviation by 1 %.
    """
    table, sensors, mass, _ = observations(shell.name)
    told = [x for sensor in sensors for x in ("--sensor", json.dumps(sensor))]
    files = ("--measurements", shell.table("seen.csv", table), "-o", shell.path("estimate.npz"))
    printed = shell.command("estimate", *shell.model, *files, "--parameters", mass, *told, "--json")
    found, expected = json.loads(printed)["parameters"][mass], estimated(shell.name, shell.load_model())
    assert found["value"] == pytest.approx(expected.parameters[mass], rel=1e-4)
    assert found["sigma"] == pytest.approx(expected.sigma[mass], rel=1e-3)


def code(shell: Shell) -> None:
    """The source in C is that of the function."""
    options = ("--functions", "forward", "--prefix", "own", "--lang", "c", "-o", shell.path("code"))
    shell.command("compile", *shell.model, *options)
    model = shell.load_model()
    files = library_code(Library("own", (sg.forward_dynamics(model).listing("forward"),), model.name), "c")
    assert all(Path(shell.path(f"code/{name}")).read_text() == text for name, text in files.items())


def draw(what: str, shell: Shell) -> None:
    """The picture is SVG."""
    shell.command("draw", *shell.model, "--problem", "forward", "--what", what, "-o", shell.path("picture.svg"))
    assert ElementTree.parse(shell.path("picture.svg")).getroot().tag == "{http://www.w3.org/2000/svg}svg"


def view(shell: Shell) -> None:
    """The page names the parts of the model."""
    shell.command("view", *shell.model, "-o", shell.path("page.html"))
    model = model_of(shell.name)
    part = model.bodies[-1] if shell.name in MECHANISMS else model.links[-1]
    assert part.name in Path(shell.path("page.html")).read_text()


TABLE: Mapping[str, Cell] = {
    "info": Cell(info),
    "solve, inverse": Cell(partial(solve, "inverse"), {"four_bar": NO_MOTORS}),
    "solve, forward": Cell(partial(solve, "forward")),
    "solve, hybrid": Cell(partial(solve, "hybrid"), {"four_bar": NO_MOTORS}),
    "kinematics": Cell(kinematics),
    "simulate, explicit": Cell(partial(simulate, "rk4")),
    "simulate, implicit": Cell(partial(simulate, "trapezoidal")),
    "simulate, smoother": Cell(partial(simulate, "smoother")),
    "inverse": Cell(inverse, {"four_bar": NO_MOTORS}),
    "plan": Cell(plan),
    "estimate": Cell(estimate),
    "compile": Cell(code),
    "draw, graph": Cell(partial(draw, "graph")),
    "draw, DAG": Cell(partial(draw, "dag")),
    "draw, network over time": Cell(partial(draw, "network")),
    "view": Cell(view),
}


def cases() -> list:
    """List commands and models; what takes seconds, as a large one solved a second time over its motion, is a suite."""
    slow = {(c, m) for c in ("plan", "estimate", "simulate, smoother") for m in ("a1", "parallel_robot")}
    slow |= {(c, m) for c in TABLE for m in LARGE}
    return [
        pytest.param(c, m, marks=[pytest.mark.suite] if (c, m) in slow else [], id=f"{c}-{m}")
        for c in TABLE
        for m in MODELS
    ]


@pytest.mark.sampled(18)
@pytest.mark.parametrize(("command", "name"), cases())
def test_a_command_answers_or_refuses(command, name, tmp_path, capsys):
    cell, shell = TABLE[command], Shell(name, tmp_path, capsys)
    if name not in cell.refused:
        cell.check(shell)
        return
    with pytest.raises(sg.InputError, match=cell.refused[name]) as caught:
        cell.check(shell)
    assert "\n" not in str(caught.value)
