"""Laws of impulses, and methods that find impulses which obey them."""
