"""What a task and a workflow are. Pure: no files, no processes, no screen."""
