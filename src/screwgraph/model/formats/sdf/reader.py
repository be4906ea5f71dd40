"""SDF 1.5 to 1.12: models and worlds, nested and included models, frames, loops and gearboxes.

The robot stands as the file shows it where all positions are zero, so its loops are closed there; `T_wb` is the pose of
its base, at which a floating one begins. Where a joint is not
at its link's origin, the link's frame is moved onto the joint, and the file's own stays as a frame `LINK_origin`.
Springs, contacts, sensors and plugins are passed over.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
from jaxtyping import Float

from screwgraph.base.errors import ModelError
from screwgraph.model.formats.diagnostics import Place, Warnings
from screwgraph.model.formats.drake import adopt_sdf
from screwgraph.model.formats.meshes.visual_shapes import collect_shapes, format_colour, make_mesh, read_shape
from screwgraph.model.formats.mimics import Mimic, make_mimic_couplings
from screwgraph.model.formats.model_checks import warn_of_parts
from screwgraph.model.formats.packages import Packages
from screwgraph.model.formats.sdf.gearbox import make_gearbox_coupling
from screwgraph.model.formats.sdf.include import sdf_version
from screwgraph.model.formats.sdf.joints import read_joint, read_mimic
from screwgraph.model.formats.sdf.model import ChosenModels, choose_models, collect_parts
from screwgraph.model.formats.sdf.scope import WORLD, Scope, SdfPart, SdfParts
from screwgraph.model.formats.sdf.tree import (
    find_spanning_tree,
    joint_frames,
    make_closing_loop,
    relative_pose,
    tree_joint,
)
from screwgraph.model.formats.sdf.values import (
    attribute_flag,
    child_of,
    flag_in,
    number_in,
    pose_of,
    text_in,
    vector_in,
)
from screwgraph.model.formats.spelling import SDF, warn_of_spelling
from screwgraph.model.formats.text_sources import model_name
from screwgraph.model.formats.xml import Element, children, locate_element, parse_xml
from screwgraph.model.robot import STANDARD_GRAVITY, Coupling, Frame, Joint, Link, Loop, Robot, Shape, Visual, tree
from screwgraph.model.robot.joints import Fixed
from screwgraph.spatial import SpatialInertia, rotation, translation


def read_sdf(data: bytes, file: str, model: str | None = None, packages: Packages | None = None) -> Robot:
    """Read a robot, fixed joints not yet merged, from the content of an SDF file.

    Of a world it is the models that can move, connected by joints; `model` chooses among several robots.
    `file` is its name in messages; what it includes lies beside it, or in `packages`.

    Raises:
        ModelError: no well-formed XML, no SDF, nothing or too much that moves, or frames, names, files that are wrong.
    """
    parts = SdfParts(packages=packages or Packages())
    warnings = parts.warnings
    root = parse_xml(data, file, warnings)
    path = (Path(file).resolve(),) if Path(file).exists() else ()
    scope = Scope("", WORLD, sdf_version(root, file), path, file)
    adopt_sdf(root, file, warnings)
    warn_of_spelling(root, file, warnings, SDF)
    world = _world(root, file, warnings)
    collect_parts(root if world is None else world, scope, parts)
    joints = [read_joint(item, parts, warnings) for item in parts.joints]
    chosen = choose_models(parts, joints, model, locate_element(root, file))
    named = model_name(file) if world is None else world.get("name", "") or model_name(file)
    name = chosen.models[0] if len(chosen.models) == 1 else named
    return _Building(parts, chosen, warnings).robot(name, _gravity(world, file), locate_element(root, file))


def _world(root: Element, file: str, warnings: Warnings) -> Element | None:
    worlds = list(children(root, "world"))
    if len(worlds) > 1:
        warnings.add(
            f"the file has {len(worlds)} worlds", at=locate_element(worlds[1], file), why="only the first counts"
        )
    return worlds[0] if worlds else None


def _gravity(world: Element | None, file: str) -> tuple[float, ...]:
    return STANDARD_GRAVITY if world is None else vector_in(world, "gravity", "the world", file, STANDARD_GRAVITY)


class _Building:
    """Turns the chosen parts of a file into a robot, full names into short ones."""

    def __init__(self, parts: SdfParts, chosen: ChosenModels, warnings: Warnings) -> None:
        self.parts, self.chosen, self.warnings = parts, chosen, warnings
        self.places: dict[object, Place] = {}
        self.edges, self.closing = find_spanning_tree(
            chosen.base, [joint for joint in chosen.joints if joint.kind is not None]
        )
        self.T_wl = {WORLD: np.eye(4)} | {
            item.name: parts.pose(item.name, locate_element(item.element, item.scope.file)) for item in chosen.links
        }
        self.frames = joint_frames(self.edges, self.T_wl)

    def robot(self, name: str, gravity: Sequence[float], at: Place) -> Robot:
        joints = [tree_joint(edge, self.frames) for edge in self.edges]
        loops, couplings = self.loops(), self.couplings(joints)
        links, short = self.links(), [self.shorten_name(joint) for joint in joints]
        for edge, joint in zip(self.edges, short, strict=True):
            self.places[joint] = locate_element(edge.joint.item.element, edge.joint.item.scope.file)
        short += self.welds()
        mimics = self.mimics()
        couplings += make_mimic_couplings(mimics, short, [part.name for part in (*loops, *couplings)], self.warnings)

        def where(part: object) -> object:
            return self.places.get(part, at)

        warn_of_parts(links, short, where, self.warnings)
        T_wb = relative_pose(np.eye(4), self.frames[self.chosen.base])
        x, y, z = rotation(T_wb).T @ np.array(gravity)
        return tree(
            name,
            links,
            short,
            frames=self.marks(),
            gravity=(float(x), float(y), float(z)),
            warnings=self.warnings.lines,
            loops=loops,
            couplings=couplings,
            T_wb=T_wb,
            where=where,
        )

    def links(self) -> list[Link]:
        links = [Link(WORLD)] if self.chosen.base == WORLD else []
        for item in self.chosen.links:
            inertia = read_inertia(item, self.warnings)
            shift = relative_pose(self.frames[item.name], self.T_wl[item.name])
            shapes = read_shapes(item, partial(self.pose_in, item.name), self.warnings)
            if self.is_moved(item.name):
                inertia = inertia.moved(shift)
                shapes = tuple(tuple(visual.moved(shift) for visual in some) for some in shapes)
            links.append(Link(self.chosen.short(item.name), inertia, *shapes))
            self.places[links[-1]] = locate_element(item.element, item.scope.file)
        return links

    def pose_in(self, link: str, frame: str) -> Float[np.ndarray, "4 4"]:
        """Return the pose of a frame in the one that the file gives a link."""
        return relative_pose(self.T_wl[link], self.parts.pose(frame, self.parts.frames[link].at))

    def is_moved(self, link: str) -> bool:
        return self.frames[link] is not self.T_wl[link]

    def shorten_name(self, joint: Joint) -> Joint:
        short = self.chosen.short
        return replace(joint, name=short(joint.name), parent=short(joint.parent), child=short(joint.child))

    def welds(self) -> list[Joint]:
        """Return what holds the links of static models in the world."""
        links = self.chosen.links if self.chosen.stands else []
        return [
            self.shorten_name(Joint(f"{item.name}_static", Fixed(), WORLD, item.name, self.T_wl[item.name]))
            for item in links
        ]

    def loops(self) -> list[Loop]:
        short, loops = self.chosen.short, []
        for joint in self.closing:
            loop = make_closing_loop(joint, self.frames)
            loops.append(
                replace(
                    loop, name=short(loop.name), predecessor=short(loop.predecessor), successor=short(loop.successor)
                )
            )
            self.places[loops[-1]] = locate_element(joint.item.element, joint.item.scope.file)
            if joint.damping or joint.friction:
                self.warnings.add(
                    f"joint {joint.name!r} closes a loop", at=self.places[loops[-1]], why="its losses are not modelled"
                )
        return loops

    def couplings(self, joints: Sequence[Joint]) -> list[Coupling]:
        short, couplings = self.chosen.short, []
        for box in (joint for joint in self.chosen.joints if joint.kind is None):
            coupling = make_gearbox_coupling(box, joints, self.frames, self.parts)
            couplings.append(Coupling(short(coupling.name), {short(j): c for j, c in coupling.terms.items()}))
            self.places[couplings[-1]] = locate_element(box.item.element, box.item.scope.file)
        return couplings

    def mimics(self) -> list[Mimic]:
        short = self.chosen.short
        found = [read_mimic(edge.joint) for edge in self.edges]
        return [replace(m, follower=short(m.follower), leader=short(m.leader)) for m in found if m]

    def marks(self) -> list[Frame]:
        """Return the file's frames on the robot, and those of links whose own were moved onto their joints."""
        own = {item.name for item in self.chosen.links} | ({WORLD} if self.chosen.stands else set())
        frames = []
        for item in self.parts.marks:
            at = locate_element(item.element, item.scope.file)
            link = self.parts.link_of(item.name, at)
            if link in own:
                pose = relative_pose(self.frames[link], self.parts.pose(item.name, at))
                frames.append(Frame(self.chosen.short(item.name), self.chosen.short(link), pose))
        taken = {frame.name for frame in frames} | {self.chosen.short(name) for name in own}
        for name in (item.name for item in self.chosen.links if self.is_moved(item.name)):
            mark = f"{self.chosen.short(name)}_origin"
            while mark in taken:
                mark += "_"
            taken.add(mark)
            frames.append(Frame(mark, self.chosen.short(name), relative_pose(self.frames[name], self.T_wl[name])))
        return frames


# Links of SDF: their inertia.


def read_inertia(item: SdfPart, warnings: Warnings) -> SpatialInertia:
    """Read the inertia of a <link> in the frame that the file gives it. Raises ModelError."""
    element, file, who = item.element, item.scope.file, f"link {item.name!r}"
    at, inertial = locate_element(element, file), child_of(element, "inertial")
    if not flag_in(element, "gravity", who, file, True):
        warnings.add(f"{who}: <gravity> is off", at=at, why="gravity acts on every link all the same")
    if inertial is None:
        warnings.add(f"{who} has no <inertial>", at=at, why="SDF gives it 1 kg and 1 kg m^2 about each axis")
    elif attribute_flag(inertial, "auto", who, file):
        raise ModelError(
            f"{who}: its inertia is to be computed from its shapes",
            at=locate_element(inertial, file),
            why="shapes are not read",
            fix="write mass and inertia, and remove auto",
        )
    if child_of(inertial, "fluid_added_mass") is not None:
        warnings.add(f"{who}: its added mass is not modelled", at=at)
    mass = number_in(inertial, "mass", who, file, 1.0)
    if mass < 0.0:
        raise ModelError(f"{who}: its mass is {mass:g} kg", at=at, why="a mass is not negative")
    inertia = child_of(inertial, "inertia")
    xx, yy, zz = (number_in(inertia, tag, who, file, 1.0) for tag in ("ixx", "iyy", "izz"))
    xy, xz, yz = (number_in(inertia, tag, who, file, 0.0) for tag in ("ixy", "ixz", "iyz"))
    pose = pose_of(child_of(inertial, "pose"), who, file)
    about_com = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    return SpatialInertia.of_body(mass, translation(pose), about_com, rotation(pose))


# Shapes of SDF's <visual> and <collision>.

_NOTHING = (0.0, 0.0, 0.0)

PoseOf = Callable[[str], Float[np.ndarray, "4 4"]]
"""Tells the pose of a frame of the file, by its full name, in the frame that the file gives the link."""


def read_shapes(
    item: SdfPart, pose_of_frame: PoseOf, warnings: Warnings
) -> tuple[tuple[Visual, ...], tuple[Visual, ...]]:
    """Read the shapes of a <link> that are seen, and those that touch, in the frame that the file gives it."""
    posed = [list(children(item.element, tag)) for tag in ("visual", "collision")]

    def left_out(number: int, why: str) -> None:
        kinds = list(child_of(posed[1][number], "geometry") or ())
        if kinds and kinds[0].tag != "empty":
            what = f"link {item.name!r}: a shape <{kinds[0].tag}> that touches is left out"
            warnings.add(what, at=locate_element(kinds[0], item.scope.file), why=why)

    seen, touched = (
        collect_shapes((partial(_visual, element, item, pose_of_frame) for element in found), tell)
        for found, tell in zip(posed, (None, left_out), strict=True)
    )
    return seen, touched


def _visual(element: Element, item: SdfPart, pose_of_frame: PoseOf) -> Visual | None:
    file, geometry, pose = item.scope.file, child_of(element, "geometry"), child_of(element, "pose")
    shape = None if geometry is None else next((_shape(child, file) for child in geometry), None)
    if shape is None:
        return None
    diffuse = child_of(child_of(element, "material"), "diffuse")
    words = [] if diffuse is None else (diffuse.text or "").split()
    colour = format_colour(vector_in(child_of(element, "material"), "diffuse", "a colour", file, (0.0,) * len(words)))
    T = pose_of(pose, "a shape", file)
    relative = "" if pose is None else pose.get("relative_to", "").strip()
    if relative:
        T = pose_of_frame(item.scope.full_name(relative)) @ T
    return Visual(shape, T, colour if len(words) >= 3 else "")


def _shape(element: Element, file: str) -> Shape | None:
    if element.tag == "mesh":
        scale = vector_in(element, "scale", "a mesh", file, (1.0, 1.0, 1.0))
        return make_mesh(_resolve_relative(text_in(element, "uri"), file), scale)
    return read_shape(
        element.tag,
        lambda setting: vector_in(element, setting, "a shape", file, _NOTHING),
        lambda setting: number_in(element, setting, "a shape", file, 0.0),
    )


def _resolve_relative(uri: str, file: str) -> str:
    """Return a path that is relative to a file, which the robot's file may include, as an absolute one."""
    folder = os.path.dirname(file)
    return os.path.abspath(os.path.join(folder, uri)) if uri.strip() and folder and "://" not in uri else uri
