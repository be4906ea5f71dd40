"""What the page asks of screwgraph; runs in the page's Python. Answers are JSON."""

from __future__ import annotations

import base64
import json
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from screwgraph.base.errors import ModelError, ScrewgraphError
from screwgraph.base.progress_report import progress
from screwgraph.compiler.backends.wasm.module import emit_module
from screwgraph.compiler.problem.problem import Problem, prior_factors
from screwgraph.elimination import Dag, eliminate, orderings
from screwgraph.graph import EditedModel, FactorGraph, Key
from screwgraph.model.formats.load import load
from screwgraph.model.robot import (
    Joint,
    Link,
    Mesh,
    Robot,
    Visual,
    check_moves,
    constraint_jacobian,
    constraint_residual,
    independent_coordinates,
    link_poses,
)
from screwgraph.tape import Program, Tape, factor_out, program
from screwgraph.ui.draw.dag import dag_scene
from screwgraph.ui.draw.graph import graph_scene
from screwgraph.ui.draw.scene import Scene
from screwgraph.ui.view.primitive_parts import PrimitivePart, split_into_primitives
from screwgraph.ui.view.skeleton import PALETTE, collect_visuals

GIVEN = {"forward": ("q", "qd", "tau"), "inverse": ("q", "qd", "qdd")}
"""What each question is asked of; the answers are the accelerations, or the torques, of all joints."""
ASKED = {"forward": "qdd", "inverse": "tau"}
MANY = 64
"""Joints of the largest robot whose graph is drawn: Python in a browser is slow."""


FARTHEST = 1e3
"""Range of a joint (m or rad) beyond which its limits are none."""


def opened(text: str, file: str, hear: Callable[[str], Any]) -> Session:
    """Return the robot of a file's text. Raises ModelError where there is none, or one that the page does not take."""
    folder = Path("/robots")
    folder.mkdir(exist_ok=True)
    (folder / file).write_text(text, "utf-8")
    try:
        robot = load(folder / file)
        check_moves(robot)
    except ScrewgraphError as error:
        raise type(error)(str(error).removeprefix(f"{folder}/")) from None
    if len(robot.joints) > MANY:
        raise ModelError(
            f"{file}: {robot.name} has {len(robot.joints)} joints", why=f"the page takes {MANY}", fix="use the package"
        )
    return Session(robot, hear)


@dataclass(frozen=True, eq=False)
class Session:
    """A robot in the page; `hear` is told what long work is doing."""

    robot: Robot
    hear: Callable[[str], Any]

    def described(self) -> str:
        """Return names, links with what is drawn of them, joints with limits (rad, m), warnings, and code for poses."""
        robot = self.robot
        joints = [
            {
                "name": joint.name,
                "type": type(joint.type).__name__.lower(),
                "nq": joint.type.nq,
                "nv": joint.type.nv,
                "limits": _limits(joint),
                "follows": joint.name in self.followers,
            }
            for joint in robot.joints
        ]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the page reads meshes itself
            drawn = collect_visuals(robot)
        bodies = [
            {
                "name": link.name,
                "parts": [_part(part) for visual in drawn[link.name] for part in split_into_primitives(visual)],
                "shapes": _shapes(link, drawn[link.name]),
            }
            for link in robot.links
        ]
        return json.dumps(
            {
                "name": robot.name,
                "links": bodies,
                "joints": joints,
                "neutral": robot.neutral().tolist(),
                "warnings": [w.replace("/robots/", "") for w in robot.warnings],
                "poses": _module(self.poses),
                "loops": self._loops() if robot.is_closed else None,
            }
        )

    def _loops(self) -> dict[str, Any]:
        """Return a closed position, which coordinates follow, and code.

        The code is of x (nv,), coordinates from the neutral position on: q, and by how much loops are open; and of q:
        the rows of K.
        """
        robot, neutral = self.robot, self.robot.neutral()
        start = robot.manifold.difference(neutral, robot.close_loops(neutral))
        chosen = set(independent_coordinates(robot))
        codes = {
            "place": _recorded(lambda x: robot.manifold.retract(neutral, x), robot.nv),
            "close": _recorded(lambda x: constraint_residual(robot, robot.manifold.retract(neutral, x)), robot.nv),
            "slopes": _recorded(lambda q: constraint_jacobian(robot, q).ravel(), robot.nq),
        }
        return {
            "start": start.tolist(),
            "dependent": [i for i in range(robot.nv) if i not in chosen],
            "rows": len(robot.mobility.rows),
            "module": base64.b64encode(emit_module(codes)).decode(),
        }

    @cached_property
    def followers(self) -> tuple[str, ...]:
        """The joints of closed chains that follow the independent ones; none of a tree."""
        independent = {name.partition("[")[0] for name in self.robot.independent_joints}
        return tuple(name for name in self.robot.joint_names if name not in independent)

    @property
    def poses(self) -> Program:
        """Code for the poses of all links but the base: three rows of each."""
        tape = Tape("form")
        poses = link_poses(self.robot, tape.inputs("q", (self.robot.nq,)))
        moving = [poses[link.name] for link in self.robot.links[1:]]
        return program(tape, [x for T in moving for x in T[:3].ravel().tolist()], tape.input_names)

    def asked(self, question: str) -> Question:
        """Return a question about the robot: "forward" or "inverse" dynamics."""
        return Question(self, question)


@dataclass(frozen=True, eq=False)
class Question:
    """Forward or inverse dynamics of a robot."""

    session: Session
    question: str

    @cached_property
    def problem(self) -> Problem:
        """What is asked, as the compiler takes it."""
        robot = self.session.robot
        arguments = tuple((kind, _of_joints(robot, kind)) for kind in GIVEN[self.question])
        # The joints of closed chains that follow others are not driven, and their accelerations follow.
        follow = self.session.followers if self.question == "inverse" else ()
        idle = {Key("tau", name): np.zeros(robot.joint(name).type.nv) for name in follow}
        unread = {Key("qdd", name) for name in follow}
        known = tuple(key for _, keys in arguments for key in keys if key not in unread)
        results = (("result", _of_joints(robot, ASKED[self.question])),)
        model = EditedModel(robot, added=prior_factors(robot, idle))
        return Problem(f"{self.question}_dynamics", model, known, arguments, results)

    @property
    def graph(self) -> FactorGraph:
        """The factor graph, as the papers have it."""
        return self.problem.plain

    def drawn(self) -> str:
        """Return the factor graph's figure, and the names of the orders that suit it."""
        names = orderings.candidates(self.graph)
        figure = _figure(graph_scene(self.graph), self.graph)
        return json.dumps({"graph": figure, "orders": names, "text": str(self.graph)})

    def eliminated(self, order: str) -> str:
        """Eliminate in a named order, or in that of a JSON list of variables: its DAG, steps and code."""
        with progress(self._heard):
            wanted = _order(order)
            dag = eliminate(self.graph, wanted)
            made = self.code(wanted)
            shown = [{"key": str(key), "label": _label(dag.graph, key), "kind": key.kind} for key in dag.order]
            found = {
                "order": shown,
                "dag": _figure(dag_scene(dag), dag.graph),
                "algorithm": dag.algorithm("html"),
                "fill_in": dag.block_fill_in,
                "delayed": len(dag.delayed),
                "operations": made.operations.total,
                "counts": str(made.operations),
                "plain": self._plain(dag),
                "module": _module(made),
            }
        return json.dumps(found)

    def counted(self, order: str) -> int:
        """Return how many operations the compiled function of an order takes."""
        with progress(self._heard):
            return self.code(_order(order)).operations.total

    def code(self, order: Any) -> Program:
        """Return straight-line code after the passes of the compiler, as `screwgraph.forward_dynamics` has it."""
        problem = self.problem
        passes = problem.passes if isinstance(order, str) else problem.mild_passes
        dag = eliminate(problem.graph(passes), order)
        names = [f"{key}[{i}]" for _, keys in problem.arguments for key in keys for i in range(self._size(key))]
        return factor_out(program(dag.equations.tape, self._outputs(dag), names))

    def _plain(self, dag: Dag) -> int:
        return program(dag.equations.tape, self._outputs(dag)).operations.total

    def _outputs(self, dag: Dag) -> list[Any]:
        return self.problem.outputs(dag.graph, dag.equations, dag.solution)

    def _size(self, key: Key) -> int:
        joint = self.session.robot.joint(key.name).type
        return joint.nq if key.kind == "q" else joint.nv

    def _heard(self, doing: object) -> None:
        self.session.hear(str(doing))


def failure(error: BaseException) -> str:
    """Return a message for people: screwgraph's own, or what went wrong in one line."""
    if isinstance(error, ScrewgraphError):
        return str(error)
    return f"screwgraph failed here: {type(error).__name__}: {error}"


def _order(order: str) -> Any:
    return json.loads(order) if order.startswith("[") else order


def _of_joints(robot: Robot, kind: str) -> tuple[Key, ...]:
    return tuple(Key(kind, name) for name in robot.joint_names)


def _limits(joint: Joint) -> list[float] | None:
    """Return the bounds of a position (m or rad) where there are two; some files say 1e16 where there are none."""
    lower, upper = joint.limits.lower, joint.limits.upper
    return None if lower is None or upper is None or upper - lower > FARTHEST else [lower, upper]


def _part(part: PrimitivePart) -> dict[str, Any]:
    """Return a box, a sphere or a cylinder of size 1: its matrix, column after column, and its colour."""
    return {"mesh": part.mesh, "matrix": part.matrix.T.ravel().tolist(), "colour": part.colour}


def _shapes(link: Link, drawn: Sequence[Visual]) -> list[dict[str, Any]]:
    """Return the file's own shapes of a link that has meshes, these by the names of their files; else none.

    `own` is the colour that the robot's file gives, which counts before those of a mesh's file.
    """
    if not any(isinstance(visual.shape, Mesh) for visual in link.visuals):
        return []
    instead = next((visual.colour for visual in drawn), PALETTE[0])
    found = []
    for visual in link.visuals:
        colour = visual.colour or instead
        if isinstance(visual.shape, Mesh):
            matrix = visual.T_bs @ np.diag([*visual.shape.scale, 1.0])
            shape = {"file": visual.shape.file, "own": visual.colour, "colour": colour}
            found.append({**shape, "matrix": matrix.T.ravel().tolist()})
        else:
            found += [_part(part) for part in split_into_primitives(replace(visual, colour=colour))]
    return found


def _recorded(expression: Callable[[Any], Any], size: int) -> Program:
    """Return the code of an expression of x (size,)."""
    tape = Tape("form")
    return program(tape, list(expression(tape.inputs("x", (size,)))), tape.input_names)


def _module(made: Program) -> str:
    return base64.b64encode(emit_module({"run": made})).decode()


def _label(graph: FactorGraph, key: Key) -> Sequence[str]:
    """Return symbol and index of a variable."""
    label, index = graph.variables[key].label, str(graph.variables[key].index)
    return label.removesuffix(index), index


def _figure(scene: Scene, graph: FactorGraph) -> dict[str, Any]:
    """Return a figure as plain data; variables have their labels as symbol and index."""
    labels = {str(key): _label(graph, key) for key in graph.variables}
    return {
        "bounds": scene.bounds,
        "edges": [
            {"points": e.points, "colour": e.colour, "arrow": e.arrow, "ends": [e.source, e.target]}
            for e in scene.edges
        ],
        "nodes": [
            {
                "name": n.name,
                "shape": n.shape,
                "at": n.at,
                "radius": n.radius,
                "fill": n.colours.fill,
                "line": n.colours.line,
                "label": labels.get(n.name),
            }
            for n in scene.nodes
        ],
        "texts": [
            {"text": t.text, "at": t.at, "align": t.align, "size": t.size, "colour": t.colour} for t in scene.texts
        ],
    }
