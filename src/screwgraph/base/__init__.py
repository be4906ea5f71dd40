"""What all packages share: errors, checks of arguments, progress, summaries, optional packages, old names."""
