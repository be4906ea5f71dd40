"""Entries that are not, bit for bit, what was written are not believed; folders do not grow without bound."""

from __future__ import annotations

import os
import time
from hashlib import sha256

from hypothesis import given
from hypothesis import strategies as st

from screwgraph.compiler.cache.store import (
    ABANDONED,
    WRITES,
    Store,
    decode_entry,
    encode_entry,
    evict_entries,
    is_time_to_tidy,
    temporary_name,
)

KEY = "0" * 64


@given(st.binary(max_size=200))
def test_an_entry_gives_back_what_was_kept(payload):
    assert decode_entry(KEY, encode_entry(KEY, payload)) == payload


def test_no_flipped_bit_goes_unnoticed():
    entry = encode_entry(KEY, b"machine code")
    for bit in range(8 * len(entry)):
        damaged = bytearray(entry)
        damaged[bit // 8] ^= 1 << bit % 8
        assert decode_entry(KEY, bytes(damaged)) is None


@given(st.data())
def test_no_part_of_an_entry_is_an_entry(data):
    entry = encode_entry(KEY, data.draw(st.binary(max_size=100)))
    start = data.draw(st.integers(0, len(entry)))
    end = data.draw(st.integers(start, len(entry)))
    if (start, end) != (0, len(entry)):
        assert decode_entry(KEY, entry[start:end]) is None


def test_an_entry_belongs_to_its_key():
    assert decode_entry("1" * 64, encode_entry(KEY, b"machine code")) is None


def test_what_was_used_longest_ago_makes_room_and_other_files_stay(tmp_path):
    names = [f"{i:064x}.object" for i in range(10)]
    for age, name in enumerate(names):
        path = tmp_path / name
        path.write_bytes(bytes(100))
        os.utime(path, (1e9 - age, 1e9 - age))
    thesis = tmp_path / "thesis.pdf"
    thesis.write_bytes(bytes(5000))
    evict_entries(tmp_path, 1000)
    assert len(list(tmp_path.iterdir())) == 11
    evict_entries(tmp_path, 999)
    assert sorted(p.name for p in tmp_path.iterdir()) == [*names[:7], "thesis.pdf"]


def test_only_drafts_of_processes_that_must_be_dead_are_removed(tmp_path):
    now = time.time()
    names = [temporary_name(), temporary_name(), KEY + ".object", "notes.draft", ".screwgraph-notes"]
    for name, age in zip(names, (ABANDONED + 60.0, ABANDONED - 60.0, *[10.0 * ABANDONED] * 3), strict=True):
        (tmp_path / name).touch()
        os.utime(tmp_path / name, (now - age, now - age))
    evict_entries(tmp_path)
    assert {p.name for p in tmp_path.iterdir()} == set(names[1:])


def test_one_write_in_many_tidies_the_folder(tmp_path):
    draft, long_ago = tmp_path / temporary_name(), time.time() - 10.0 * ABANDONED
    draft.touch()
    os.utime(draft, (long_ago, long_ago))
    keys = [f"{i:08x}{KEY[8:]}" for i in range(1, 2 * WRITES + 1)]
    for key in keys[: WRITES - 1]:
        Store(tmp_path).write("object", key, b"machine code")
    assert draft.exists()
    Store(tmp_path).write("object", keys[WRITES - 1], b"machine code")
    assert not draft.exists()
    turns = sum(is_time_to_tidy(sha256(f"{i}".encode()).hexdigest()) for i in range(100 * WRITES))
    assert 50 < turns < 200, "keys are hashes"
