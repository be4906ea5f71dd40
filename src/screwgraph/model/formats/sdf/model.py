"""Models of SDF, models within models and included ones: their links, joints and frames under full names.

Of an SDF world, some models are the robot.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from screwgraph.base.errors import ModelError
from screwgraph.model.formats.diagnostics import Place, quote_text, suggest_name
from screwgraph.model.formats.sdf.include import read_include
from screwgraph.model.formats.sdf.joints import SdfJoint
from screwgraph.model.formats.sdf.scope import WORLD, PlacedFrame, Scope, SdfPart, SdfParts
from screwgraph.model.formats.sdf.values import attribute_flag, child_of, flag_in, pose_of, required_text, text_in
from screwgraph.model.formats.xml import Element, children, locate_element, required_attribute

DEEPEST_MODEL = 30


def collect_parts(element: Element, scope: Scope, parts: SdfParts) -> None:
    """Collect what a <model> or <world> holds; `scope` is its inside. Raises ModelError."""
    if scope.prefix.count("::") > DEEPEST_MODEL:
        raise ModelError("models are nested too deeply", at=locate_element(element, scope.file))
    for link in children(element, "link"):
        _add(link, "link", scope, parts, parts.links)
    for frame in children(element, "frame"):
        _add(frame, "frame", scope, parts, parts.marks)
    for joint in children(element, "joint"):
        _add(joint, "joint", scope, parts, parts.joints)
    for model in children(element, "model"):
        _add_model(model, model, scope, parts)
    for include in children(element, "include"):
        _add_included(include, scope, parts)


def pose_element(element: Element, scope: Scope) -> tuple[Element | None, str]:
    """Return the <pose> of an element, and the name of the frame that it says it is relative to, empty for none."""
    pose = child_of(element, "pose")
    attribute = "frame" if scope.version < (1, 7) else "relative_to"
    return pose, "" if pose is None else pose.get(attribute, "").strip()


def _add(element: Element, what: str, scope: Scope, parts: SdfParts, to: list[SdfPart]) -> None:
    name = _name(element, what, scope)
    who, at = f"{what} {name!r}", locate_element(element, scope.file)
    pose, relative_to = pose_element(element, scope)
    default = moves_with = scope.frame
    if what == "joint":
        default = moves_with = scope.full_name(required_text(element, "child", who, scope.file))
    elif what == "frame" and element.get("attached_to", "").strip():
        default = moves_with = scope.full_name(element.get("attached_to").strip())
    elif what == "link" and scope.static:
        moves_with = WORLD
    relative = scope.full_name(relative_to) if relative_to else default
    parts.add(scope.full_name(name), PlacedFrame(relative, pose_of(pose, who, scope.file), moves_with, at))
    to.append(SdfPart(scope.full_name(name), element, scope))


def _add_model(
    element: Element, placing: Element, scope: Scope, parts: SdfParts, inside: Scope | None = None, merge: bool = False
) -> None:
    """Add a model; `placing` holds its pose: the model itself, or the <include> that overrides it."""
    own = inside or scope
    renamed = text_in(placing, "name") if placing is not element else ""
    name = renamed or _name(element, "model", own)
    who, at = f"model {name!r}", locate_element(placing, scope.file)
    overrides = placing if child_of(placing, "pose") is not None else element
    pose, relative_to = pose_element(overrides, scope if overrides is placing else own)
    frame = scope.full_name(f"_merged__{name}__model__" if merge else name)
    prefix = scope.prefix if merge else f"{frame}::"
    static = scope.static or flag_in(placing, "static", who, scope.file, flag_in(element, "static", who, own.file))
    inner = replace(own, prefix=prefix, frame=frame, static=static)
    placement = (text_in(placing, "placement_frame") if placing is not element else "") or element.get(
        "placement_frame", ""
    ).strip()
    relative = scope.full_name(relative_to) if relative_to and overrides is placing else scope.frame
    placed = PlacedFrame(
        relative,
        pose_of(pose, who, scope.file),
        WORLD if static else _canonical(element, inner),
        at,
        inner.full_name(placement) if placement else "",
    )
    parts.add(frame, placed)
    parts.models.append(SdfPart(frame, element, inner))
    collect_parts(element, inner, parts)


def _add_included(element: Element, scope: Scope, parts: SdfParts) -> None:
    found = read_include(element, scope, parts)
    if found is None:
        return
    model, version, path, file = found
    inside = replace(scope, version=version, path=(*scope.path, path), file=file)
    merge = attribute_flag(element, "merge", "an include", scope.file) and scope.frame != WORLD
    _add_model(model, element, scope, parts, inside, merge)


def _canonical(element: Element, inner: Scope) -> str:
    """Return the frame that a model's own frame moves with: its canonical link, or that of its first model."""
    named = element.get("canonical_link", "").strip()
    if named:
        return inner.full_name(named)
    first = next(_first_names(element), None)
    return inner.full_name(first) if first else inner.frame


def _first_names(element: Element) -> Iterator[str]:
    for tag in ("link", "model"):
        for child in children(element, tag):
            yield child.get("name", "").strip()
    for include in children(element, "include"):
        yield text_in(include, "name")


def _name(element: Element, what: str, scope: Scope) -> str:
    name = required_attribute(element, "name", f"a {what}", scope.file).strip()
    if "::" in name or name in (WORLD, "__model__", "__root__"):
        raise ModelError(
            f"a {what} is called {quote_text(name)}",
            at=locate_element(element, scope.file),
            why="SDF reserves that name",
            fix="choose another",
        )
    return name


@dataclass(frozen=True)
class ChosenModels:
    """The models that joints connect with the one that was asked for, and what belongs to them.

    `base` is the world where joints hold the robot there, else the first link that no joint moves. `stands` is true
    where nothing in the file moves: all links are then welded to the world.
    """

    models: tuple[str, ...]
    links: list[SdfPart]
    joints: list[SdfJoint]
    base: str
    stands: bool = False

    def short(self, name: str) -> str:
        """Return a full name without the model's, where there is only one model."""
        return name.removeprefix(f"{self.models[0]}::") if len(self.models) == 1 else name


def choose_models(parts: SdfParts, joints: Sequence[SdfJoint], model: str | None, at: Place) -> ChosenModels:
    """Choose the models that move with `model`; None where all models that move are connected.

    Where nothing moves, the static models are chosen from.

    Raises:
        ModelError: no links at all, no such model, or several robots and none named.
    """
    moving = [item for item in parts.links if not item.scope.static]
    stands = not moving
    moving, joints = (parts.links, ()) if stands else (moving, joints)
    group = {outermost_model(item.name): outermost_model(item.name) for item in moving}
    if not group:
        raise ModelError("the file has no model with links", at=at, why="all are empty")
    for joint in joints:
        ends = [outermost_model(link) for link in (joint.parent, joint.child) if link != WORLD]
        if len(ends) == 2 and group[ends[0]] != group[ends[1]]:
            kept, merged = group[ends[0]], group[ends[1]]
            group = {name: kept if leader == merged else leader for name, leader in group.items()}
    if model is not None and model not in group:
        raise ModelError(
            f"no model {'' if stands else 'that moves '}is called {quote_text(model)}",
            at=at,
            fix=suggest_name(model, group, "there are"),
        )
    if model is None and len(set(group.values())) > 1:
        names = ", ".join(list(group)[:6])
        raise ModelError(
            f"the world has {len(set(group.values()))} robots, among the models {names}",
            at=at,
            why="no joints connect them",
            fix=f"choose one by model={next(iter(group))!r}, or --model on the command line",
        )
    wanted = group[model] if model is not None else next(iter(group.values()))
    models = tuple(name for name, leader in group.items() if leader == wanted)
    links = [item for item in moving if outermost_model(item.name) in models]
    own = [joint for joint in joints if any(outermost_model(link) in models for link in (joint.parent, joint.child))]
    _remark_on_static(parts, at, stands)
    return ChosenModels(models, links, own, WORLD if stands else _base(links, own), stands)


def _remark_on_static(parts: SdfParts, at: Place, stands: bool) -> None:
    static = dict.fromkeys(outermost_model(item.name) for item in parts.links if item.scope.static)
    if static and not stands:
        names = ", ".join(list(static)[:6]) + (", ..." if len(static) > 6 else "")
        parts.warnings.add(f"static models are no part of the robot: {names}", at=at)


def outermost_model(name: str) -> str:
    """Return the outermost model of a full name."""
    return name.split("::", 1)[0]


def _base(links: Sequence[SdfPart], joints: Sequence[SdfJoint]) -> str:
    if any(WORLD in (joint.parent, joint.child) for joint in joints):
        return WORLD
    children = {joint.child for joint in joints if joint.kind is not None}
    return next((item.name for item in links if item.name not in children), links[0].name)
