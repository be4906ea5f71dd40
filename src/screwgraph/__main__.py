"""`python -m screwgraph`: the command line."""

from screwgraph.ui.cli import main

if __name__ == "__main__":
    main()
