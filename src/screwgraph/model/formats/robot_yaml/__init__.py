"""The project's robot format, read and written."""
