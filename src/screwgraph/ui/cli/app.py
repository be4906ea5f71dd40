"""The commands together, and what becomes of their failures."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Sequence
from functools import cache
from typing import Annotated, Any

import typer

from screwgraph.base.errors import ScrewgraphError, one_line
from screwgraph.ui.cli import (
    bench,
    draw,
    estimate,
    identify,
    info,
    inverse,
    kinematics,
    plan,
    search,
    simulate,
    solve,
    view,
)
from screwgraph.ui.cli import compile as compile_command
from screwgraph.ui.cli.console import abandon_output, escape_unencodable, print_note
from screwgraph.ui.cli.usage_errors import DONE, FAILED, INTERRUPTED, USAGE_ERROR, WRONG_USE, format_usage_error


def run(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit status: 0 done, 1 failed, 2 wrong use, 130 interrupted.

    Whatever goes wrong is one line on stderr: where, what, why, how to fix it.
    """
    escape_unencodable()
    with warnings.catch_warnings():
        warnings.showwarning = lambda message, *_, **__: print_note(f"warning: {message}")
        return _run(arguments)


def _run(arguments: Sequence[str] | None) -> int:
    try:
        status = _command().main(args=arguments, prog_name="screwgraph", standalone_mode=False)
        sys.stdout.flush()
    except USAGE_ERROR as error:
        return _refuse(WRONG_USE, format_usage_error(error))
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
def _command() -> Any:
    app = typer.Typer(
        help="Robot dynamics by elimination of factor graphs: inspect a robot, solve its dynamics, draw the graphs.",
        add_completion=False,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["--help", "-h"]},
    )
    app.callback(invoke_without_command=True, epilog=_EPILOG)(_root)
    app.command("info", help=info.HELP)(info.info)
    app.command("solve", help=solve.HELP)(solve.solve)
    app.command("kinematics", help=kinematics.HELP)(kinematics.kinematics)
    app.command("draw", help=draw.HELP)(draw.draw)
    app.command("compile", help=compile_command.HELP)(compile_command.compile_)
    app.command("search", help=search.HELP)(search.search)
    app.command("simulate", help=simulate.HELP)(simulate.simulate)
    app.command("view", help=view.HELP)(view.view)
    app.command("inverse", help=inverse.HELP)(inverse.inverse)
    app.command("estimate", help=estimate.HELP)(estimate.estimate)
    app.command("identify", help=identify.HELP)(identify.identify)
    app.command("plan", help=plan.HELP)(plan.plan)
    app.command("bench", help=bench.HELP)(bench.bench)
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
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())
