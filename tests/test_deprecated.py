"""Old public names work for one version, with a warning."""

from __future__ import annotations

import sys
from importlib import import_module

import pytest

import screwgraph as sg
from screwgraph.base.deprecated import MODULES, NAMES

NAMED = [(package, old, new) for package, names in NAMES.items() for old, new in names.items()]


@pytest.mark.parametrize(("package", "old", "new"), NAMED)
def test_old_names_are_new_ones_with_a_warning(package, old, new):
    module, (home, _, own) = import_module(package), new.rpartition(".")
    with pytest.warns(DeprecationWarning, match=f"{old} is deprecated, use {home or package}.{own}"):
        found = getattr(module, old)
    assert found is getattr(import_module(home or package), own)
    assert old not in vars(module)
    assert old not in getattr(module, "__all__", ())


@pytest.mark.parametrize(("old", "new"), [pair for pair in MODULES.items() if pair[0] != "screwgraph.plan"])
def test_old_paths_of_modules_are_new_ones_with_a_warning(monkeypatch, old, new):
    monkeypatch.setattr(sg, "plan", sg.plan)  # which imports of modules below `screwgraph.plan` replace
    monkeypatch.delitem(sys.modules, old, raising=False)
    with pytest.warns(DeprecationWarning, match="is deprecated, use"):
        found = import_module(old)
    assert found is import_module(new)


def test_the_old_package_of_plans_is_called_as_the_function_that_has_its_name(monkeypatch):
    monkeypatch.setattr(sg, "plan", sg.plan)
    for name in [name for name in sys.modules if name.startswith("screwgraph.plan.") or name == "screwgraph.plan"]:
        monkeypatch.delitem(sys.modules, name)
    with pytest.warns(DeprecationWarning, match=r"screwgraph\.plan is deprecated, use screwgraph\.motion\.planning"):
        old = import_module("screwgraph.plan")
    with pytest.warns(DeprecationWarning, match=r"screwgraph\.plan\.costs is deprecated"):
        costs = import_module("screwgraph.plan.costs")
    assert costs is import_module("screwgraph.motion.planning.costs")
    assert old.Task is sg.Task
    with pytest.raises(sg.InputError, match="no_such_task"):
        old("no_such_task")


def test_other_names_are_unknown_as_ever():
    with pytest.raises(AttributeError, match="nothing"):
        _ = import_module("screwgraph.model.robot").nothing
    with pytest.raises(ModuleNotFoundError):
        import_module("screwgraph.model.robot.nothing")
