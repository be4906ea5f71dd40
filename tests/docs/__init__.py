"""The pages of README.md and docs/: their code, pictures and links."""
