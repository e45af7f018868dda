"""Orange's own themes: one accent, calm greys, and status colours that keep to themselves."""

from __future__ import annotations

from textual.theme import Theme

DARK = Theme(
    name="orange",
    primary="#ff8c2b",
    secondary="#7aa2c8",
    accent="#ff8c2b",
    warning="#e5b454",
    error="#e06c66",
    success="#8fb573",
    foreground="#d7d3cd",
    background="#161513",
    surface="#1c1b18",
    panel="#262420",
    dark=True,
)

LIGHT = Theme(
    name="orange-light",
    primary="#c75b00",
    secondary="#31658f",
    accent="#c75b00",
    warning="#96690a",
    error="#b3362f",
    success="#4b7a2b",
    foreground="#2b2925",
    background="#fbf9f5",
    surface="#f4f1ea",
    panel="#e8e3d9",
    dark=False,
)

THEMES = (DARK, LIGHT)
