"""Pages about files: every key that the readers know, with units, defaults, examples.

`python -m tests.docs.schema_pages` writes them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from screwgraph.model.formats import world_yaml as world_keys
from screwgraph.model.formats.robot_yaml import keys as robot_keys
from screwgraph.model.formats.yaml_keys import NONE, Keys
from screwgraph.model.mechanism import keys as mechanism_keys
from screwgraph.motion.control import controller_files as controller_keys
from screwgraph.motion.control.barriers import capsules as capsule_keys
from screwgraph.motion.control.contacts import CONTACTS
from screwgraph.motion.control.predictive import horizon_files as horizon_keys
from screwgraph.motion.planning import keys as task_keys
from screwgraph.motion.simulation.contacts import contact_files as contact_keys
from tests.docs.pages import ROOT

FOLDER = ROOT / "docs" / "schema"
EXAMPLES = Path(__file__).parent / "schemas"


@dataclass(frozen=True)
class Schema:
    """A kind of file: what it is, its sections, its examples, and what may be said of all of it."""

    title: str
    about: str
    sections: Mapping[str, Keys]
    examples: tuple[str, ...]


NUMBERS = "SI units and rad. Every number may be an expression over `parameters`, with `pi`, `sqrt`, `sin` and others."
FEET: Mapping[str, Keys] = {
    "An item of contacts": contact_keys.CONTACT,
    **{f"An item of {key}": kind.KEYS for key, kind in CONTACTS.items()},
    "shape": contact_keys.SHAPE,
    "against": contact_keys.AGAINST,
    "ground": contact_keys.GROUND,
}
"""Sections of files of controllers, of `FOOT_KEYS`."""
SCHEMAS: Mapping[str, Schema] = {
    "robot": Schema(
        "Robot files",
        f"`sg.load` and `screwgraph` read robots from YAML files, short enough to write by hand. {NUMBERS}",
        robot_keys.SECTIONS,
        ("robot.yaml",),
    ),
    "mechanism": Schema(
        "Mechanism files",
        "`sg.load_mechanism` and `screwgraph` read mechanisms, planar and spatial, from YAML files; listing 1 of "
        "Blanco-Claraco et al. (2021) is one. Points go by number or name. A mechanism is spatial where points have "
        f"z. {NUMBERS}",
        mechanism_keys.SECTIONS,
        ("mechanism.yaml", "slider.yaml", "spatial.yaml"),
    ),
    "world": Schema(
        "World files",
        "`sg.load` and `screwgraph` read several robots and bodies, each by its own file, as one model, as `sg.world` "
        "makes it. SI units and rad.",
        {"The world": world_keys.WORLD, "An item of robots": world_keys.ROBOT},
        ("world.yaml",),
    ),
    "contacts": Schema(
        "Contact files",
        "`contacts=` of simulations and `--contacts` read contacts and the ground from YAML files. SI units and rad. "
        "A file of a world has them, too, and is named in the same way.",
        {
            "The file": contact_keys.FILE,
            "An item of contacts": contact_keys.CONTACT,
            "shape": contact_keys.SHAPE,
            "against": contact_keys.AGAINST,
            "ground": contact_keys.GROUND,
            "height_map": contact_keys.HEIGHTS,
            "steps": contact_keys.STEPS,
        },
        ("contacts.yaml", "stairs.yaml"),
    ),
    "task": Schema(
        "Task files",
        f"`sg.plan` and `screwgraph plan` read tasks from YAML files. {NUMBERS} Files that a task names lie beside it.",
        task_keys.SECTIONS,
        ("task.yaml", "standing.yaml", "linkage.yaml", "path.yaml"),
    ),
    "controller": Schema(
        "Controller files",
        "`screwgraph controller` and `sg.control.load_controller` read tasks, contacts, limits and barriers from YAML "
        "files. SI units and rad. A task has the key of its kind, and of the gains those that it has.",
        {
            "The file": controller_keys.FILE,
            "An item of tasks": controller_keys.TASK,
            **FEET,
            "limits": controller_keys.BOUNDS,
            "An item of barriers": controller_keys.BARRIER,
            "A capsule": capsule_keys.CAPSULE,
        },
        ("controller.yaml",),
    ),
    "mpc": Schema(
        "Horizon files",
        "`screwgraph mpc` reads the horizon, limits, contacts and goals of `sg.mpc` from YAML files. SI units and rad.",
        {
            "The file": horizon_keys.FILE,
            "limits": horizon_keys.BOUNDS,
            **FEET,
        },
        ("mpc.yaml",),
    ),
}


def page(name: str) -> str:
    """Return the page of a kind of files."""
    schema = SCHEMAS[name]
    parts = [
        f"# {schema.title}\n",
        f"{schema.about}\n",
        "This page is made from the readers, which refuse other keys. Numbers may be arithmetic: `pi/2`, "
        "`deg2rad(45)`, `2*sqrt(2)`.\n",
    ]
    for title, keys in schema.sections.items():
        parts.append(f"## {title}\n\n{_table(keys)}")
    parts.append("## Examples\n")
    for example in schema.examples:
        parts.append(f"```yaml\n{(EXAMPLES / example).read_text(encoding='utf-8')}```\n")
    return "\n".join(parts)


def _table(keys: Keys) -> str:
    rows = ["| key | meaning | value | unit | default |", "|---|---|---|---|---|"]
    for key, entry in keys.items():
        default = "" if entry.default == NONE else entry.default
        rows.append(f"| `{key}` | {entry.meaning} | {_code(entry.form)} | {entry.unit} | {_code(default)} |")
    return "\n".join(rows) + "\n"


def _code(text: str) -> str:
    return f"`{text}`" if any(sign in text for sign in "[]{}") else text


def main() -> None:
    """Write the pages."""
    FOLDER.mkdir(exist_ok=True)
    for name in SCHEMAS:
        (FOLDER / f"{name}.md").write_text(page(name), encoding="utf-8")


if __name__ == "__main__":
    main()
