"""`screwgraph mpc`: a library for other programs, or one clear line."""

from __future__ import annotations


def test_files(command, tmp_path):
    (tmp_path / "horizon.yaml").write_text("{dt: 0.05, horizon: 3, limits: {velocity: 2, effort: {joint1: 5}}}")
    given = ("rr", "--horizon", tmp_path / "horizon.yaml", "--lang", "c", "-o", tmp_path / "code")
    result = command("mpc", *given)
    assert (result.status, result.err) == (0, "")
    assert "efforts: 3x2" in result.out
    assert "rr_mpc(const double q[2]" in (tmp_path / "code" / "rr.h").read_text()


def test_what_cannot_be_is_one_line(command, tmp_path):
    for text, complaint in (
        ("{dt: -1}", "dt is -1"),
        ("{horizon: 2.5}", "whole number"),
        ("{speed: 2}", "there is no key"),
        ("{limits: {effort: {nobody: 1}}}", "nobody"),
        ("{limits: {penalty: [-1, 0]}}", "penalty"),
        ("{ground: {height: 0}}", "there are no contacts"),
    ):
        (tmp_path / "horizon.yaml").write_text(text)
        given = ("rr", "--horizon", tmp_path / "horizon.yaml", "--lang", "c", "-o", tmp_path / "other")
        result = command("mpc", *given)
        assert result.status != 0
        assert complaint in result.err
        assert len(result.err.splitlines()) == 1
