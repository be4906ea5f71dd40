"""An entry of the cache as bytes: what is damaged, cut short, renamed or not ours is not believed."""

from __future__ import annotations

from hashlib import sha256

MAGIC = b"screwgraph cache 1\n"
DIGEST = sha256().digest_size


def encode_entry(key: str, payload: bytes) -> bytes:
    """Return the bytes of an entry: magic and version, checksum of key and payload, payload."""
    return MAGIC + _checksum(key, payload) + payload


def decode_entry(key: str, entry: bytes) -> bytes | None:
    """Return the payload of an entry; None where it is not, bit for bit, what was sealed under that key."""
    start = len(MAGIC) + DIGEST
    payload = entry[start:]
    return payload if entry[:start] == MAGIC + _checksum(key, payload) else None


def _checksum(key: str, payload: bytes) -> bytes:
    return sha256(key.encode() + payload).digest()
