"""Scenes and robots in the browser while this program runs, through viser."""

from __future__ import annotations

import io
import time
from collections.abc import Callable, Sequence
from contextlib import redirect_stdout
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Float
from scipy.spatial.transform import Rotation

from screwgraph.base.errors import InputError, ModelError
from screwgraph.mechanics.mechanism import Mechanism
from screwgraph.model.robot import Robot
from screwgraph.ui.view.mechanisms import mechanism_scene
from screwgraph.ui.view.page import COLOURS, PLAIN
from screwgraph.ui.view.primitive_parts import PrimitivePart, split_into_primitives
from screwgraph.ui.view.robots import robot_scene
from screwgraph.ui.view.scene import Body, Line, Points, Scene, normalise, view_direction
from screwgraph.ui.view.scene_bounds import compute_extent
from screwgraph.ui.view.sliders import (
    Slider,
    make_sliders,
    mechanism_sliders,
    pose_mechanism,
    pose_robot,
    rest_position,
    slider_coordinates,
)

HOST = "127.0.0.1"
PORT = 8080
PAUSE = 0.02
"""Seconds between two looks at the sliders."""
SPEEDS = ("0.1", "0.25", "0.5", "1", "2", "4")


@dataclass(frozen=True, eq=False)
class Live:
    """A scene in the browser: `address` is what to open there, `tick` does what is due, `close` ends it."""

    address: str
    tick: Callable[[], None]
    close: Callable[[], None]

    def run(self) -> None:
        """Serve until interrupted."""
        try:
            while True:
                self.tick()
                time.sleep(PAUSE)
        finally:
            self.close()


def show(scene: Scene, port: int = PORT) -> Live:
    """Serve a scene with a slider for time, at 127.0.0.1.

    Raises:
        InputError: viser is not installed, or the port cannot be served.
    """
    server = _server(port)
    place = _add_scene(server, scene)
    length = max(float(scene.t[-1] - scene.t[0]), 1e-3)
    clock = server.gui.add_slider("time (s)", min=0.0, max=length, step=length / 1000.0, initial_value=0.0)
    playing = server.gui.add_checkbox("play", initial_value=scene.frames > 1)
    speed = server.gui.add_dropdown("speed", SPEEDS, initial_value="1")
    shown, last = [-1], [time.perf_counter()]

    def tick() -> None:
        passed, last[0] = time.perf_counter() - last[0], time.perf_counter()
        if playing.value:
            clock.value = (clock.value + passed * float(speed.value)) % length
        frame = int(np.argmin(np.abs(scene.t - scene.t[0] - clock.value)))
        if frame != shown[0]:
            shown[0] = frame
            place(scene, frame)

    return Live(_address(server), tick, server.stop)


def show_robot(robot: Robot, port: int = PORT) -> Live:
    """Serve a robot with sliders for its independent coordinates, at 127.0.0.1.

    Raises:
        InputError: viser is not installed, the port cannot be served, or loops do not close.
    """
    q, now = rest_position(robot), np.zeros(1)
    return _posable(
        (q, slider_coordinates(robot, q)),
        make_sliders(robot, q),
        lambda q, before, after: pose_robot(robot, q, before, after),
        lambda q: robot_scene(robot, now, q[None]),
        port,
    )


def show_mechanism(mechanism: Mechanism, port: int = PORT) -> Live:
    """Serve a planar mechanism with sliders for its independent coordinates, at 127.0.0.1.

    Raises:
        InputError: viser is not installed, or the port cannot be served.
    """
    q, now = mechanism.home, np.zeros(1)
    return _posable(
        (q, q.copy()),
        mechanism_sliders(mechanism),
        lambda q, before, after: pose_mechanism(mechanism, q, before, after),
        lambda q: mechanism_scene(mechanism, now, q[None]),
        port,
    )


def _posable(
    first: tuple[np.ndarray, np.ndarray],
    wanted: Sequence[Slider],
    move: Callable[[np.ndarray, np.ndarray, np.ndarray], np.ndarray],
    scene_at: Callable[[np.ndarray], Scene],
    port: int,
) -> Live:
    """Serve what sliders move: from a position, and coordinates before and after, to a position."""
    server = _server(port)
    place = _add_scene(server, scene_at(first[0]))
    complaint = server.gui.add_markdown("")
    bars = [_add_bar(server, slider) for slider in wanted]
    state = [(*first, True)]

    def tick() -> None:
        q, before, fresh = state[0]
        after = before.copy()
        after[[slider.coordinate for slider in wanted]] = [bar.value for bar in bars]
        if not fresh and (after == before).all():
            return
        try:
            q, complaint.content = move(q, before, after), ""
        except (InputError, ModelError) as error:
            after, complaint.content = before, error.what
            for slider, bar in zip(wanted, bars, strict=True):
                bar.value = float(before[slider.coordinate])
        state[0] = (q, after, False)
        place(scene_at(q), 0)

    return Live(_address(server), tick, server.stop)


def _add_scene(server: Any, scene: Scene) -> Callable[[Scene, int], None]:
    """Add all that a scene has; return what moves it to where a scene of the same parts has it in a frame."""
    bodies = [_add_body(server, body) for body in scene.bodies]
    _add_still(server, scene)
    trails = [
        add_trail(server, f"/trail{i}", trail, _rgb(trail.colour or COLOURS[i % len(COLOURS)]))
        for i, trail in enumerate((*scene.lines, *scene.points))
    ]

    def place(there: Scene, frame: int) -> None:
        with server.atomic():
            for handle, body in zip(bodies, there.bodies, strict=True):
                _place(handle, body.poses if body.poses.ndim == 2 else body.poses[frame])
            for move, trail in zip(trails, (*there.lines, *there.points), strict=True):
                if np.ndim(trail.points) == 3:
                    move(trail_points(trail, frame))

    return place


def _add_bar(server: Any, slider: Slider) -> Any:
    step = (slider.high - slider.low) / 1000.0
    return server.gui.add_slider(slider.label, slider.low, slider.high, step, slider.initial)


def _server(port: int) -> Any:
    try:
        import viser
    except ImportError as error:
        raise InputError(
            "the view in the browser needs viser, which is not installed",
            fix="pip install 'screwgraph[view]', or write a page with -o motion.html",
        ) from error
    try:
        with redirect_stdout(io.StringIO()):  # it says where it is, as we do
            return viser.ViserServer(host=HOST, port=port, verbose=False)
    except OSError as error:
        raise InputError(f"port {port} cannot be served", why=error.strerror or str(error)) from error


def _address(server: Any) -> str:
    return f"http://{HOST}:{server.get_port()}"


def _add_body(server: Any, body: Body) -> Any:
    handle = server.scene.add_frame(f"/{_path(body.name)}", show_axes=False)
    number = 0
    for visual in body.visuals:
        for part in split_into_primitives(visual):
            _add_part(server, f"/{_path(body.name)}/{number}", part, _rgb(part.colour or PLAIN))
            number += 1
    return handle


def _add_part(server: Any, name: str, part: PrimitivePart, colour: tuple[int, ...]) -> None:
    wxyz, position = _wxyz(part.T), part.T[:3, 3]
    if part.mesh == "box":
        server.scene.add_box(name, color=colour, dimensions=part.scale, wxyz=wxyz, position=position)
    elif part.mesh == "sphere":
        server.scene.add_icosphere(name, radius=1.0, color=colour, scale=part.scale, wxyz=wxyz, position=position)
    elif part.is_file:
        corners, faces = part.triangles
        server.scene.add_mesh_simple(
            name, corners, faces, color=colour, flat_shading=True, side="double", wxyz=wxyz, position=position
        )
    else:
        radius, _, height = part.scale
        server.scene.add_cylinder(name, radius=radius, height=height, color=colour, wxyz=wxyz, position=position)


def _add_still(server: Any, scene: Scene) -> None:
    """Add ground and surfaces; set where the eye is."""
    up = normalise(scene.up)
    server.scene.set_up_direction(tuple(up))
    if scene.ground is not None:
        T = np.eye(4)
        T[:3, :3] = Rotation.align_vectors([up], [[0.0, 0.0, 1.0]])[0].as_matrix()
        server.scene.add_grid("/ground", wxyz=_wxyz(T), position=scene.ground * up)
    for i, surface in enumerate(scene.surfaces):
        vertices = np.asarray(surface.triangles, dtype=float).reshape(-1, 3)
        faces = np.arange(len(vertices)).reshape(-1, 3)
        server.scene.add_mesh_simple(
            f"/surface{i}", vertices, faces, color=_rgb(surface.colour or PLAIN), flat_shading=True, side="double"
        )
    centre, size = compute_extent(scene)
    server.initial_camera.position = tuple(np.array(centre) + 1.2 * size * view_direction(scene))
    server.initial_camera.look_at = tuple(centre)


def _place(handle: Any, pose: Float[np.ndarray, "4 4"]) -> None:
    handle.wxyz, handle.position = _wxyz(pose), pose[:3, 3]


def _wxyz(pose: Float[np.ndarray, "4 4"]) -> Sequence[float]:
    return Rotation.from_matrix(pose[:3, :3]).as_quat(scalar_first=True)


def _rgb(colour: str) -> tuple[int, ...]:
    return tuple(int(colour[i : i + 2], 16) for i in (1, 3, 5))


def _path(name: str) -> str:
    """Names of viser are paths; ours may have slashes."""
    return "bodies/" + name.replace("/", "_")


# Lines and points of scenes in the browser, where they stand at a time.

Place = Callable[[Float[np.ndarray, "k 3"]], None]
"""Puts a trail where its points (m) are."""


def add_trail(server: Any, name: str, trail: Line | Points, colour: tuple[int, ...]) -> Place:
    """Add a line or points as they stand first; return what moves them."""
    first = trail_points(trail, 0)
    if isinstance(trail, Points):
        return _add_balls(server, name, first, trail.radius, colour)
    return _add_line(server, name, first, colour)


def trail_points(trail: Line | Points, frame: int) -> Float[np.ndarray, "k 3"]:
    """Return the points of a trail (m) at a time."""
    points = np.asarray(trail.points, dtype=float)
    return points if points.ndim == 2 else points[frame]


def _add_line(server: Any, name: str, first: Float[np.ndarray, "k 3"], colour: tuple[int, ...]) -> Place:
    handle = server.scene.add_line_segments(name, points=_segments(first), colors=colour)

    def place(points: Float[np.ndarray, "k 3"]) -> None:
        handle.points = _segments(points)

    return place


def _segments(points: Float[np.ndarray, "k 3"]) -> Float[np.ndarray, "n 2 3"]:
    """Return the pieces of a line; breaks are pieces of no length, so that their number stays."""
    pairs = np.stack([points[:-1], points[1:]], axis=1)
    whole = np.isfinite(pairs).reshape(len(pairs), -1).all(axis=1)
    return np.where(whole.reshape(-1, 1, 1), pairs, 0.0)


def _add_balls(
    server: Any, name: str, first: Float[np.ndarray, "k 3"], radius: float, colour: tuple[int, ...]
) -> Place:
    handles = [server.scene.add_icosphere(f"{name}/{i}", radius=radius, color=colour) for i in range(len(first))]

    def place(points: Float[np.ndarray, "k 3"]) -> None:
        for handle, point in zip(handles, points, strict=True):
            handle.visible = bool(np.isfinite(point).all())
            if handle.visible:
                handle.position = point

    place(first)
    return place
