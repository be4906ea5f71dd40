"""`screwgraph view`: robots, mechanisms and their motions in three dimensions."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Annotated

import typer

from screwgraph.ui.cli import options
from screwgraph.ui.cli.options import BaseKind
from screwgraph.ui.cli.outputs import Paths, parse_places
from screwgraph.ui.cli.usage_errors import make_usage_error

if TYPE_CHECKING:
    from screwgraph.ui.view import Live

Target = Annotated[
    str,
    typer.Argument(
        metavar="ROBOT|RESULT",
        help="A robot or mechanism (file or built-in), or an .npz file of `simulate`, `estimate`, `plan`.",
    ),
]
Output = Annotated[
    str | None, typer.Option("--output", "-o", metavar="FILE", help="Write an .html page instead of serving it.")
]
Port = Annotated[int, typer.Option("--port", min=1, max=65535, help="Port of the server, on this machine only.")]
Rate = Annotated[
    float, typer.Option("--rate", metavar="HZ", min=0.1, max=1000.0, help="States kept per second of motion.")
]

HELP = """Show a robot or planar mechanism with a slider for each joint, or a motion with a slider for time.

A page written with -o plays the motion offline in any browser. Without -o the page is
served on this machine until Ctrl-C, which needs: pip install 'screwgraph[view]'

\b
Example:
  screwgraph simulate rrr --time 2 -o rrr.npz
  screwgraph view rrr.npz -o rrr.html
  screwgraph view rrr.npz -o rrr.html --paths link3
  screwgraph view five_bar -o five_bar.html
  screwgraph view four_bar -o four_bar.html
and in the browser, while the program runs,
  screwgraph view panda.urdf
  screwgraph view rrr.npz --port 8000

The visual shapes of the robot's file are drawn, meshes with: pip install 'screwgraph[meshes]'. Links without shapes are
capsules from joint to joint. Closed chains have sliders for their independent joints, the others follow.
"""


def view(
    context: typer.Context,
    target: Target,
    output: Output = None,
    base: options.Base = BaseKind.fixed,
    lock: options.Lock = None,
    independent: options.Independent = None,
    model_name: options.Model = None,
    xacro: options.XacroArgs = None,
    port: Port = 8080,
    rate: Rate = 30.0,
    paths: Paths = None,
) -> None:
    """Show a robot or a motion, or write the page that does."""
    import numpy as np

    from screwgraph import load_mechanism
    from screwgraph.base.errors import InputError
    from screwgraph.model.load import is_mechanism
    from screwgraph.motion.simulation import read_trajectory
    from screwgraph.ui.cli.console import show_progress
    from screwgraph.ui.view import (
        check_page_path,
        mechanism_scene,
        rest_position,
        robot_scene,
        save_html,
        show,
        show_mechanism,
        show_robot,
        trajectory_scene,
    )

    if output is not None:
        try:
            check_page_path(output)
        except InputError as error:
            raise make_usage_error(context, error.what, why=error.why, fix=error.fix) from error
    chosen = base is not BaseKind.fixed or lock or model_name or xacro
    if chosen and (target.lower().endswith(".npz") or is_mechanism(target)):
        why = "a motion contains its robot" if target.lower().endswith(".npz") else "this is a planar mechanism"
        raise make_usage_error(context, "--base, --lock, --model and --xacro are for robots", why=why)
    if paths and not target.lower().endswith(".npz"):
        raise make_usage_error(context, "--paths goes with motions", fix="simulate first: an .npz file")
    if target.lower().endswith(".npz"):
        with show_progress(f"reading {target}"):
            scene = trajectory_scene(read_trajectory(target), rate=rate, paths=parse_places(paths))
        if output is None:
            return _serve(show(scene, port))
    elif is_mechanism(target):
        mechanism = load_mechanism(target)
        if output is None:
            return _serve(show_mechanism(mechanism, port))
        scene = mechanism_scene(mechanism, np.zeros(1), mechanism.home[None])
    else:
        robot = options.load_robot(target, base, lock, None, False, False, 0.0, model_name, xacro, independent)
        if output is None:
            return _serve(show_robot(robot, port))
        with show_progress(f"reading meshes of {robot.name}"):
            scene = robot_scene(robot, np.zeros(1), rest_position(robot)[None])
    with show_progress("writing the page"):
        save_html(scene, output)
    typer.echo(f"{output}: {scene.title}, {len(scene.bodies)} bodies, {scene.frames} state{'s' * (scene.frames != 1)}")
    return None


def _serve(live: Live) -> None:
    typer.echo(f"open {live.address} in a browser; Ctrl-C ends it")
    with suppress(KeyboardInterrupt):
        live.run()
