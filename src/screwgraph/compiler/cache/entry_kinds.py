"""The kinds of entries, which are the suffixes of their files."""

PROGRAM = "program"
OBJECT = "object"
KINDS = (PROGRAM, OBJECT)
