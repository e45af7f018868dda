"""The former name of `parts`, for those who still import it."""

from orange_tui.engine.parts import HomeParts as Services

__all__ = ["Services"]
