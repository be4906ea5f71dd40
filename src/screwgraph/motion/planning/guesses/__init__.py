"""Where the search for a plan begins: positions that reach goals, smooth motions between them."""
