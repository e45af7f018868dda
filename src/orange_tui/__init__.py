"""Orange: several coding agents at once, each in its own worktree, watched from one screen."""

__version__ = "0.11.3"
