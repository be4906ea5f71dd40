"""Old public names work for one version, with a warning."""

from __future__ import annotations

import sys
from importlib import import_module

import pytest

from screwgraph.deprecated import MODULES, NAMES

NAMED = [(package, old, new) for package, names in NAMES.items() for old, new in names.items()]


@pytest.mark.parametrize(("package", "old", "new"), NAMED)
def test_old_names_are_new_ones_with_a_warning(package, old, new):
    module = import_module(package)
    with pytest.warns(DeprecationWarning, match=f"{old} is deprecated, use {package}.{new}"):
        found = getattr(module, old)
    assert found is getattr(module, new)
    assert old not in vars(module)
    assert old not in getattr(module, "__all__", ())


@pytest.mark.parametrize(("old", "new"), MODULES.items())
def test_old_paths_of_modules_are_new_ones_with_a_warning(monkeypatch, old, new):
    monkeypatch.delitem(sys.modules, old, raising=False)
    with pytest.warns(DeprecationWarning, match="is deprecated, use"):
        found = import_module(old)
    assert found is import_module(new)


def test_other_names_are_unknown_as_ever():
    with pytest.raises(AttributeError, match="nothing"):
        _ = import_module("screwgraph.robot").nothing
    with pytest.raises(ModuleNotFoundError):
        import_module("screwgraph.robot.nothing")
