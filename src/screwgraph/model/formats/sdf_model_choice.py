"""Which models of an SDF world are the robot."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from screwgraph.base.errors import ModelError
from screwgraph.model.formats.diagnostics import Place, quote_text, suggest_name
from screwgraph.model.formats.sdf_joints import SdfJoint
from screwgraph.model.formats.sdf_scope import WORLD, SdfPart, SdfParts


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
