"""`screwgraph view`: robots, mechanisms and their motions in three dimensions."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

import typer

from screwgraph.motion.simulation import read_trajectory
from screwgraph.ui.cli.command import Command
from screwgraph.ui.cli.console import as_usage_error, make_usage_error, show_progress
from screwgraph.ui.cli.model_source import ModelSource
from screwgraph.ui.cli.options import Flag
from screwgraph.ui.cli.outputs import parse_places
from screwgraph.ui.view import (
    check_page_path,
    posable_mechanism_scene,
    posable_robot_scene,
    save_html,
    show,
    show_mechanism,
    show_robot,
    trajectory_scene,
)

if TYPE_CHECKING:
    from screwgraph.ui.view import Live

FLAGS = {
    "path": Flag(
        "A robot or mechanism (file or built-in), or an .npz file of `simulate`, `estimate`, `plan`.",
        "ROBOT|RESULT",
        is_argument=True,
    ),
    "output": Flag("Write an .html page instead of serving it.", "FILE", "-o"),
    "port": Flag("Port of the server, on this machine only.", min=1, max=65535),
    "rate": Flag("States kept per second of motion.", "HZ", min=0.1, max=1000.0),
}

HELP = """\
A page written with -o works offline in any browser: it plays a motion, or has sliders that move the joints of a
robot or a mechanism. Without -o the page is served on this machine until Ctrl-C, which needs: pip install
'screwgraph[view]'

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
    source: ModelSource,
    output: str | None = None,
    port: int = 8080,
    rate: float = 30.0,
    paths: str | None = None,
) -> None:
    """Show a robot or a motion, or write the page that does."""
    if output is not None:
        with as_usage_error():
            check_page_path(output)
    is_motion = source.path.lower().endswith(".npz")
    if paths and not is_motion:
        raise make_usage_error("--paths goes with motions", fix="simulate first: an .npz file")
    if is_motion:
        source.refuse_changes("a motion contains its robot")
        with show_progress(f"reading {source.path}"):
            scene = trajectory_scene(read_trajectory(source.path), rate=rate, paths=parse_places(paths))
        if output is None:
            return _serve(show(scene, port))
    elif source.is_mechanism:
        mechanism = source.load_mechanism()
        if output is None:
            return _serve(show_mechanism(mechanism, port))
        scene = posable_mechanism_scene(mechanism)
    else:
        robot = source.load_robot()
        if output is None:
            return _serve(show_robot(robot, port))
        with show_progress(f"reading meshes of {robot.name}"):
            scene = posable_robot_scene(robot)
    with show_progress("writing the page"):
        save_html(scene, output)
    typer.echo(f"{output}: {scene.title}, {len(scene.bodies)} bodies, {scene.frames} state{'s' * (scene.frames != 1)}")
    return None


def _serve(live: Live) -> None:
    typer.echo(f"open {live.address} in a browser; Ctrl-C ends it")
    with suppress(KeyboardInterrupt):
        live.run()


COMMAND = Command(view, HELP, FLAGS, model="base lock independent model xacro packages")
