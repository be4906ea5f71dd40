"""Contacts: one file each; a new one is a new file and a line in `CONTACTS`."""

CONTACTS: dict[str, type] = {}

__all__ = ["CONTACTS"]
