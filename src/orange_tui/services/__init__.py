"""What Orange does: tasks on disk, the engine, and all that it calls."""
