"""Shells complete commands, options, their values and names of built-in models and tasks."""

from __future__ import annotations

import pytest

from screwgraph.ui.cli import app


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
@pytest.mark.parametrize(
    ("words", "expected", "absent"),
    [
        ("screwgraph so", ["solve"], "plan"),
        ("screwgraph solve pan", ["panda"], "puma560"),
        ("screwgraph inverse par", ["parallel_robot"], "panda"),
        ("screwgraph solve panda --prob", ["--problem"], "--json"),
        ("screwgraph solve panda --problem f", ["forward"], "inverse"),
        ("screwgraph plan a1", ["a1_trot"], "panda"),
        ("screwgraph plan no_such_task", [], "panda"),
    ],
)
def test_words_are_completed(
    shell: str,
    words: str,
    expected: list[str],
    absent: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("_SCREWGRAPH_COMPLETE", f"complete_{shell}")
    monkeypatch.setenv("COMP_WORDS", words)
    monkeypatch.setenv("COMP_CWORD", str(len(words.split()) - 1))
    if shell != "bash":
        monkeypatch.setenv("_TYPER_COMPLETE_ARGS", words)
        monkeypatch.setenv("_TYPER_COMPLETE_FISH_ACTION", "get-args")
    with pytest.raises(SystemExit) as ended:
        app.run([])
    said = capsys.readouterr()
    assert ended.value.code in (0, None)
    assert said.err == ""
    assert all(name in said.out for name in expected)
    assert absent not in said.out


def test_the_version_has_a_short_option(capsys: pytest.CaptureFixture[str]) -> None:
    assert app.run(["-V"]) == 0
    assert capsys.readouterr().out.startswith("screwgraph ")
