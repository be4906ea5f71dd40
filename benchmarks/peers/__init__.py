"""Peers that need more than a package: native programs, and graphs made for them."""
