"""What a program can become: one file or folder each."""
