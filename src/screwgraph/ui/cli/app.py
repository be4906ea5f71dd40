"""The commands together, and what becomes of their failures."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Mapping, Sequence
from functools import cache
from importlib import import_module
from typing import Annotated, Any

import typer

from screwgraph.base.errors import ScrewgraphError, one_line
from screwgraph.ui.cli.console import (
    DONE,
    FAILED,
    INTERRUPTED,
    USAGE_ERROR,
    WRONG_USE,
    abandon_output,
    escape_unencodable,
    format_usage_error,
    print_note,
)

COMMANDS: Mapping[str, str] = {
    "info": "Show links, joints, masses, frames and warnings of a robot, or the parts of a planar mechanism.",
    "solve": "Solve inverse, forward or hybrid dynamics.",
    "kinematics": "Print poses, velocities and Jacobians of links and frames.",
    "draw": "Draw the factor graph and its elimination.",
    "compile": "Write functions of a robot as a library for other programs.",
    "controller": "Write a whole-body controller of a robot or a mechanism as a library for other programs.",
    "mpc": "Write a model-predictive controller of a model as a library for other programs.",
    "search": "Search for an elimination ordering with cheaper code.",
    "simulate": "Simulate a robot or a planar mechanism and write its motion.",
    "view": "Show a robot or planar mechanism with a slider for each joint, or a motion with a slider for time.",
    "inverse": "Find the torques that make a robot or a planar mechanism follow a trajectory.",
    "estimate": "Estimate the motion of a robot or a planar mechanism, torques and parameters from measurements.",
    "excitation": "Plan a motion whose torques show the parameters of a robot or a mechanism, for identify.",
    "identify": "Identify inertias, friction and payloads of a robot or a mechanism from logs of torques.",
    "plan": "Plan a motion and write it.",
    "playground": "Open the page that eliminates graphs of robots in the browser.",
    "bench": "Measure the speed of a robot's functions on this machine.",
}
"""Commands, each in the module of its name, and what they do; a module is imported when its command is asked for."""


def run(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit status: 0 done, 1 failed, 2 wrong use, 130 interrupted.

    Whatever goes wrong is one line on stderr: where, what, why, how to fix it.
    """
    escape_unencodable()
    with warnings.catch_warnings():
        warnings.showwarning = lambda message, *_, **__: print_note(f"warning: {message}")
        return _run(arguments)


def find_command(arguments: Sequence[str] | None) -> str:
    """Import the module of the command that is asked for, and return its name; "" for none."""
    given = _list_completed_words() or (sys.argv[1:] if arguments is None else arguments)
    name = next((text for text in given if not text.startswith("-")), "")
    if name not in COMMANDS:
        return ""
    import_module(f"screwgraph.ui.cli.{name}")
    return name


def _list_completed_words() -> Sequence[str]:
    """Return the words after the program's name that a shell asks to complete; none where it asks nothing."""
    if "_SCREWGRAPH_COMPLETE" not in os.environ:
        return ()
    return (os.environ.get("_TYPER_COMPLETE_ARGS") or os.environ.get("COMP_WORDS", "")).split()[1:]


def _run(arguments: Sequence[str] | None) -> int:
    name = ""
    try:
        name = find_command(arguments)
        status = _command(name).main(args=arguments, prog_name="screwgraph", standalone_mode=False)
        sys.stdout.flush()
    except USAGE_ERROR as error:
        return _refuse(WRONG_USE, format_usage_error(error, f"screwgraph {name}".strip()))
    except ScrewgraphError as error:
        return _refuse(FAILED, str(error))
    except BrokenPipeError:
        abandon_output()
        return FAILED
    except OSError as error:
        abandon_output()
        return _refuse(FAILED, one_line("the output cannot be written", why=error.strerror or str(error)))
    except MemoryError:
        return _refuse(FAILED, one_line("there is not enough memory", fix="use fewer states or a smaller robot"))
    except (KeyboardInterrupt, typer.Abort):
        return _refuse(INTERRUPTED, "interrupted")
    if status == INTERRUPTED:
        return _refuse(INTERRUPTED, "interrupted")
    return status if isinstance(status, int) else DONE


def _refuse(status: int, line: str) -> int:
    print_note(line)
    return status


@cache
def _command(asked: str) -> Any:
    """Return the command line with one command that can run, and the names of the others."""
    app = typer.Typer(
        help="Robot dynamics by elimination of factor graphs: inspect a robot, solve its dynamics, draw the graphs.",
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["--help", "-h"]},
    )
    app.callback(invoke_without_command=True, epilog=_EPILOG)(_root)
    for name, summary in COMMANDS.items():
        if name == asked:
            command = import_module(f"screwgraph.ui.cli.{name}").COMMAND
            app.command(name, help=f"{summary}\n\n{command.about}")(command.callback())
        else:
            app.command(name, help=summary)(lambda: None)
    return typer.main.get_command(app)


_EPILOG = """\b
Example:
  screwgraph info puma560
  screwgraph solve panda.urdf --problem inverse"""


def _show_version(wanted: bool) -> None:
    if wanted:
        from screwgraph import __version__

        typer.echo(f"screwgraph {__version__}")
        raise typer.Exit


def _root(
    context: typer.Context,
    version: Annotated[
        bool, typer.Option("--version", "-V", callback=_show_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())
