"""What touches: contacts, shapes, their points, the ground."""
