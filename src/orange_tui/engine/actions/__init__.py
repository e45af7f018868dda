"""What hooks do to workspaces and agents; `engine/hooks.py` maps names to these."""
