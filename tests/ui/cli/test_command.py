"""Commands made of one description: a function, the public function that it asks, and words for options."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Any

import pytest
import typer

from screwgraph.base.argument_checks import check_arguments
from screwgraph.base.function_description import REQUIRED, describe_parameters
from screwgraph.ui.cli.app import COMMANDS
from screwgraph.ui.cli.command import Command
from screwgraph.ui.cli.options import Flag


@check_arguments
def find_wear(
    robot: object, names: Sequence[str], *, level: float = 0.5, rule: str | None = None, deep: bool = False, q0: Any = 0
) -> None:
    """Find wear.

    Args:
        robot: what wears.
        names: joints of `robot`. All others
            stay as they are.
        level: of wear (mm), at least
            0.1. More is worse.
        rule: by which wear grows.
        deep: whether to look inside.

    Raises:
        InputError: rule: there is none.
    """


def test_a_function_is_described_by_its_signature_and_docstring():
    found = describe_parameters(find_wear)
    assert [(p.kind, p.default) for p in found.values()] == [
        (None, REQUIRED), (tuple, REQUIRED), (float, 0.5), (str, None), (bool, False), (None, 0),
    ]  # fmt: skip
    assert found["level"].about == "of wear (mm), at least 0.1. More is worse."
    assert found["rule"].about == "by which wear grows."
    assert found["q0"].about == ""


@pytest.fixture
def run_command():
    """Run a command that asks `find_wear`, and return what its function got, or the status; and its help."""
    got: dict[str, Any] = {}

    def look(asked: Mapping[str, Any], place: str, marks: list[str] | None = None) -> None:
        got.update(asked=asked, place=place, marks=marks)

    flags = {"place": Flag("Where.", is_argument=True), "rule": Flag(choices=("linear", "square"), short="-r")}
    app = typer.Typer(rich_markup_mode=None)
    app.command()(Command(look, "", flags, query=find_wear, takes="names level rule deep").callback())
    command = typer.main.get_command(app)

    def run(*arguments: str) -> dict[str, Any]:
        got.clear()
        command.main(args=list(arguments), standalone_mode=False)
        return got

    return run


def test_options_are_arguments_of_the_public_function(run_command, capsys):
    assert run_command("here", "--names", "a, b", "--names", "a") == {
        "place": "here", "marks": None, "asked": {"names": ("a", "b"), "level": 0.5, "deep": False},
    }  # fmt: skip
    given = run_command("here", "--names", "a", "-r", "square", "--deep", "--level", "2", "--marks", "x,y")
    assert (given["asked"]["rule"], given["asked"]["deep"], given["asked"]["level"]) == ("square", True, 2.0)
    assert given["marks"] == ["x,y"]
    run_command("--help")
    text = " ".join(capsys.readouterr().out.split())
    assert "Joints of robot; repeatable, or separated by commas. [required]" in text
    assert "Of wear (mm), at least 0.1. [default: 0.5]" in text
    assert "<linear|square> By which wear grows." in text


@pytest.mark.parametrize("arguments", [("here",), ("here", "--names", "a", "--rule", "cubic"), ("--names", "a")])
def test_what_an_option_cannot_be_is_wrong_use(run_command, arguments):
    with pytest.raises(typer.BadParameter.__mro__[1]):
        run_command(*arguments)


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_says_what_each_of_its_options_is(name, command):
    callback = import_module(f"screwgraph.ui.cli.{name}").COMMAND.callback()
    for annotation in callback.__annotations__.values():
        assert annotation.__metadata__[0].help.endswith("."), annotation
    assert command(name, "--help").out.partition("\n\n")[2].split()[:3] == COMMANDS[name].split()[:3]
