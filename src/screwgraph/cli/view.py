"""`screwgraph view`: robots and their motions in three dimensions."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Annotated

import typer

from screwgraph.cli import options
from screwgraph.cli.failures import wrong_use
from screwgraph.cli.options import BaseKind

if TYPE_CHECKING:
    from screwgraph import Robot
    from screwgraph.view import Live, Scene

Target = Annotated[
    str,
    typer.Argument(metavar="ROBOT|RESULT", help="A robot file or built-in robot, or an .npz file of `simulate`."),
]
Output = Annotated[
    str | None, typer.Option("--output", "-o", metavar="FILE", help="Write an .html page instead of serving one.")
]
Port = Annotated[
    int, typer.Option("--port", min=1, max=65535, help="Where the browser finds it, on this machine only.")
]
Rate = Annotated[
    float, typer.Option("--rate", metavar="HZ", min=0.1, max=1000.0, help="States a second of motion that are kept.")
]

HELP = """Show a robot with a slider for each joint, or a motion with one for time.

A page written with -o plays the motion in any browser, with nothing installed and no network. Without -o it is
served on this machine until Ctrl-C, which needs: pip install 'screwgraph[view]'

\b
Example:
  screwgraph simulate rrr --time 2 -o rrr.npz
  screwgraph view rrr.npz -o rrr.html
  screwgraph view five_bar -o five_bar.html
and in the browser, while the program runs,
  screwgraph view panda.urdf
  screwgraph view rrr.npz --port 8000

Boxes, spheres, cylinders and capsules of the robot's file are drawn; where it has meshes or nothing, capsules from
joint to joint. Closed chains have sliders for their independent joints, the others follow.
"""


def view(
    context: typer.Context,
    target: Target,
    output: Output = None,
    base: options.Base = BaseKind.fixed,
    lock: options.Lock = None,
    model_name: options.Model = None,
    port: Port = 8080,
    rate: Rate = 30.0,
) -> None:
    """Show a robot or a motion, or write the page that does."""
    from screwgraph.errors import InputError
    from screwgraph.view import check_page_path, save_html, show, show_robot

    if output is not None:
        try:
            check_page_path(output)
        except InputError as error:
            raise wrong_use(context, error.what, why=error.why, fix=error.fix) from error
    if not target.lower().endswith(".npz"):
        robot = options.load_robot(target, base, lock, None, False, False, 0.0, model_name)
        if output is None:
            return _serve(show_robot(robot, port))
        scene = _still(robot)
    elif base is not BaseKind.fixed or lock or model_name:
        raise wrong_use(context, "--base, --lock and --model go with robots", why="a motion has its robot with it")
    else:
        scene = _motion(target, rate)
    if output is None:
        return _serve(show(scene, port))
    save_html(scene, output)
    typer.echo(f"{output}: {scene.title}, {len(scene.bodies)} bodies, {scene.frames} states")
    return None


def _still(robot: Robot) -> Scene:
    import numpy as np

    from screwgraph.view import rest, robot_scene

    return robot_scene(robot, np.zeros(1), rest(robot)[None])


def _motion(file: str, rate: float) -> Scene:
    from screwgraph.view import read_result, robot_scene

    result = read_result(file)
    return robot_scene(result.robot, result.t, result.q, rate=rate)


def _serve(live: Live) -> None:
    typer.echo(f"{live.address} in a browser shows it; Ctrl-C ends it")
    with suppress(KeyboardInterrupt):
        live.run()
