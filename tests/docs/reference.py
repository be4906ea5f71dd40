"""Pages of the reference, one for each public package; `python -m tests.docs.reference` writes them anew."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from types import ModuleType

import screwgraph
from tests.docs.pages import ROOT

FOLDER = ROOT / "docs" / "reference"
MAIN = ROOT / "docs" / "reference.md"
PACKAGES: Mapping[str, tuple[str, ...]] = {
    "api.deployment": (),
    "api.interop": ("gtsam",),
    "base.errors": (),
    "compiler": (),
    "elimination": ("orderings",),
    "graph": ("factors",),
    "mechanics.dynamics": (),
    "mechanics.kinematics": ("targets",),
    "mechanics.mechanism": (),
    "model": (),
    "model.formats": (),
    "model.robot": ("joints", "parameters"),
    "motion.control": (),
    "motion.estimation": ("bayes",),
    "motion.identification": (),
    "motion.integration_rules": (),
    "motion.planning": ("goals", "costs", "limits", "obstacles", "contacts", "collision"),
    "motion.simulation": ("methods", "joint_forces"),
    "optimize": ("losses", "methods", "smoothers"),
    "spatial": ("manifolds",),
    "tape": (),
    "ui.draw": (),
    "ui.view": (),
}
"""Public packages, and those within them that are public, too."""


def path_of(package: str) -> Path:
    """Return where the page of a package stands."""
    return FOLDER / f"{package.rpartition('.')[2]}.md"


def modules(package: str) -> list[ModuleType]:
    """Return a package and its public parts."""
    names = [package, *(f"{package}.{part}" for part in PACKAGES[package])]
    return [import_module(f"screwgraph.{name}") for name in names]


def names(module: ModuleType) -> list[str]:
    """Return the public names of a module, packages left out."""
    found = getattr(module, "__all__", None) or [n for n, x in vars(module).items() if _is_own(module, n, x)]
    return [name for name in sorted(found) if not inspect.ismodule(getattr(module, name))]


def page(package: str) -> str:
    """Return the page of a package."""
    parts = [f"# screwgraph.{package}\n"]
    for i, module in enumerate(modules(package)):
        heading = "" if i == 0 else f"## {module.__name__}\n\n"
        about = " ".join((module.__doc__ or "").strip().split("\n\n")[0].split())
        parts.append(f"{heading}{about}\n")
        parts += _entries(module)
    return "\n".join(parts)


def _has_other_home(module: ModuleType, found: object) -> bool:
    """Whether a name is indexed elsewhere: on the main page, or on that of the package that defines it."""
    own = getattr(found, "__module__", "")
    if getattr(found, "__name__", "") in screwgraph.__all__ and own.startswith("screwgraph."):
        return True
    homes = [m.__name__ for package in PACKAGES for m in modules(package) if own.startswith(f"{m.__name__}.")]
    names_it = [name for name in homes if getattr(found, "__name__", "") in names(import_module(name))]
    return bool(names_it) and max(names_it, key=len) != module.__name__


def _entries(module: ModuleType) -> list[str]:
    values, directives = [], []
    for name in names(module):
        found = getattr(module, name)
        path = f"{module.__name__}.{name}"
        if inspect.isclass(found) and found.__name__ == name:
            index = "\n   :no-index:" if _has_other_home(module, found) else ""
            directives.append(f".. autoclass:: {path}\n   :members:{index}")
        elif inspect.isroutine(found) and hasattr(found, "__name__"):
            index = "\n   :no-index:" if _has_other_home(module, found) else ""
            directives.append(f".. autofunction:: {path}{index}")
        else:
            values.append(f"`{name}`")
    entries = ["```{eval-rst}\n" + "\n".join(directives) + "\n```\n"] if directives else []
    return [*entries, *([f"Values and types: {', '.join(values)}.\n"] if values else [])]


def _is_own(module: ModuleType, name: str, value: object) -> bool:
    return not name.startswith("_") and getattr(value, "__module__", "") == module.__name__


def public() -> list[str]:
    """Return the public names of `screwgraph` itself."""
    return sorted(screwgraph.__all__)


def main() -> None:
    """Write the pages."""
    FOLDER.mkdir(exist_ok=True)
    for package in PACKAGES:
        path_of(package).write_text(page(package), encoding="utf-8")


if __name__ == "__main__":
    main()
