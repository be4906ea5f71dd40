"""`screwgraph playground`: what it opens and writes, and what it says where the page was not built."""

from __future__ import annotations

import pytest

from screwgraph.ui.cli import playground


@pytest.fixture
def package(tmp_path, monkeypatch):
    """A folder that stands for the package's."""
    folder = tmp_path / "package"
    folder.mkdir()
    monkeypatch.setattr(playground, "files", lambda _: folder)
    return folder


def test_the_page_of_the_package_is_opened(package, command, monkeypatch):
    (package / "playground.html").write_text("<!doctype html>")
    opened = []
    monkeypatch.setattr("webbrowser.open", lambda address: opened.append(address) or True)
    assert command("playground").status == 0
    assert opened == [(package / "playground.html").as_uri()]


def test_where_no_browser_opens_the_address_is_printed(package, command, monkeypatch):
    (package / "playground.html").write_text("<!doctype html>")
    monkeypatch.setattr("webbrowser.open", lambda address: False)
    address = (package / "playground.html").as_uri()
    assert command("playground").out == f"open {address} in a browser\n"


def test_the_page_is_written(package, command, tmp_path):
    (package / "playground.html").write_text("<!doctype html>")
    assert command("playground", "-o", tmp_path / "page.html").status == 0
    assert (tmp_path / "page.html").read_text() == "<!doctype html>"
    refused = command("playground", "-o", tmp_path / "page.pdf")
    assert (refused.status, refused.err.count("\n")) == (2, 1)


def test_an_installation_without_the_page_says_how_to_get_it(package, command):
    result = command("playground")
    assert result.status == 1
    assert "this installation has no playground" in result.err
    assert "make playground" in result.err
