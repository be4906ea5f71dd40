"""A mechanism as the text of its file, with the values that it was given in the place of the file's own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import fields
from typing import Any

from screwgraph.base.errors import InputError
from screwgraph.model.formats import Value, parse_yaml
from screwgraph.model.formats.yaml_keys import Keys
from screwgraph.model.mechanism.keys import BODY, DAMPER, FORCE, SPRING, TORQUE
from screwgraph.model.mechanism.mechanism import Mechanism
from screwgraph.model.mechanism.read import read_mechanism
from screwgraph.model.mechanism.read_spatial_bodies import INERTIA

SECTIONS: Mapping[str, tuple[str, Keys]] = {
    "bodies": ("name", BODY),
    "planar_bodies": ("name", BODY),
    "springs": ("spring", SPRING),
    "dampers": ("damper", DAMPER),
    "forces": ("force", FORCE),
    "torques": ("torque", TORQUE),
}
"""Lists whose items have values: the key of an item's name, and all keys."""
COMPONENTS = ("x", "y", "z")
PLAIN = ("name", "gravity", "motors", "independent", "velocities")
"""What a mechanism may have otherwise than its file, and its text then says."""
ASIDE = ("places", "source", "bound", "driven")


def yaml_text(mechanism: Mechanism) -> str:
    """Return the text of a file that is read as this mechanism; expressions that hold stay expressions.

    Raises:
        InputError: it was not read from a file, or has points, bodies or sensors that its file has not.
    """
    source = mechanism.source
    if source is None or mechanism.bound is not None:
        raise InputError(
            f"mechanism {mechanism.name!r} was not read from a file",
            why="what is saved is the text of its file, with its values",
            fix="write its points and bodies to a YAML file, and load that",
        )
    tree = {"name": mechanism.name, **_plain(parse_yaml(source.data, source.file))}
    for name, value in source.given:
        _write_value(tree, mechanism.dimension, name, value)
    own = [field.name for field in fields(mechanism) if field.name not in ASIDE]
    read = read_mechanism(_dump(tree).encode(), source.file)
    changed = [name for name in own if getattr(read, name) != getattr(mechanism, name)]
    changed += ["driven"] if _driven(read) != _driven(mechanism) else []
    if not set(changed) <= set(PLAIN):
        raise InputError(
            f"the {changed[0]} of mechanism {mechanism.name!r} are not those of its file",
            why="what is saved is the text of its file, with its values",
            fix="change the file, and load it again",
        )
    for name in changed:
        value = getattr(mechanism, name)
        tree[name] = value if isinstance(value, str) else dict(value) if name == "velocities" else list(value)
    return _dump(tree)


def _driven(mechanism: Mechanism) -> dict[str, str]:
    return {name: function.text for name, function in mechanism.driven.items()}


def _plain(value: Value) -> Any:
    """Return what YAML holds; texts that are numbers or flags as written become these, lest they are quoted."""
    content = value.content
    if isinstance(content, dict):
        return {key: _plain(item) for key, item in content.items()}
    if isinstance(content, tuple):
        return [_plain(item) for item in content]
    return next((x for x in _scalars(content) if content in (repr(x), repr(x).lower())), content)


def _scalars(text: Any) -> Iterator[Any]:
    """Yield what a text may be to YAML."""
    yield from (True, False)
    for kind in (int, float):
        with suppress(TypeError, ValueError):
            yield kind(text)


def _write_value(tree: dict[str, Any], dimension: int, name: str, value: float) -> None:
    """Put a value in the place of what a file says: of a parameter, or of a key of parts of some name."""
    key, mark, part = name.partition(":")
    if not mark:
        tree["parameters"][key] = float(value)
        return
    whole, _, axes = key.partition("_")
    for section, (title, keys) in SECTIONS.items():
        for i, item in enumerate(tree.get(section) or ()):
            if str(item.get(title, i)) != part or whole not in keys:
                continue
            if not axes:
                item[whole] = float(value)
                continue
            names = INERTIA if axes in INERTIA else COMPONENTS[:dimension]
            known = list(item.get(whole, ()))
            item[whole] = known + [0.0] * (len(names) - len(known))
            item[whole][names.index(axes)] = float(value)


def _dump(tree: dict[str, Any]) -> str:
    import yaml

    return yaml.safe_dump(tree, sort_keys=False, default_flow_style=None, width=120, allow_unicode=True)
