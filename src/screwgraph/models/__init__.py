"""Models: what files say of robots and mechanisms, and the laws of their parts."""
