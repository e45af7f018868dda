"""Changing config.yml as a person asks for it in a form: value by value, in place.

The file is the person's own. Comments, order and what Orange does not know stay, the file is replaced in one step, and
whoever else writes it meanwhile is noticed: then it is read again. What cannot be done so is refused.
"""

from __future__ import annotations

import os
import re
from contextlib import suppress

from orange_tui.domain.errors import NotFound, OrangeError, Refused
from orange_tui.domain.text import yaml_text
from orange_tui.domain.text.frontmatter import write_value
from orange_tui.domain.text.yaml_change import set_value
from orange_tui.home.files import exchange, make_directory, not_saved, sync_directory, write_aside
from orange_tui.home.locks import locked
from orange_tui.home.settings.config_file import read_settings_text, settings_in, settings_path
from orange_tui.home.settings.table import SETTINGS
from orange_tui.usage.prices_file import prices_in

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from orange_tui.home.paths import Home
    from orange_tui.home.settings.table import Setting

_ATTEMPTS = 5
_SWITCH = {"on": True, "off": False}


def change_settings(home: Home, given: Mapping[str, str]) -> None:
    """Write settings, given by name as `shown_value` shows them; all of them, or none where one is refused."""
    values = {name: read_value(name, text) for name, text in given.items()}
    path = os.path.realpath(settings_path(home))  # it may be a link into somebody's dotfiles
    make_directory(home.root)
    with locked(os.path.join(home.root, ".config.lock"), what="config.yml"):
        for _ in range(_ATTEMPTS):
            before = _read(path)
            after = _changed(before, values, path)
            if after == before:
                return
            if _replace(path, before, after):
                return
    raise Refused(f"{path} is written by another program again and again; try again in a moment")


def _read(path: str) -> str:
    try:
        return read_settings_text(path)
    except NotFound:
        return ""


def _replace(path: str, before: str, after: str) -> bool:
    """Put a new text in the place of another, unless there is a third one by now.

    The files change places: so what an editor has saved at the last moment is seen, and is put back.
    """
    new = f"{path}.new"
    try:
        with suppress(FileNotFoundError):
            os.unlink(new)
        write_aside(new, after.encode())
        if _read(path) != before:
            return False
        if not exchange(new, path):  # there is none yet, or the system can't
            os.rename(new, path)
        elif _read(new) != before:
            os.rename(new, path)
            return False
        sync_directory(os.path.dirname(path))
    except OSError as problem:
        raise not_saved(path, problem) from None
    finally:
        with suppress(OSError):
            os.unlink(new)
    return True


def _changed(text: str, values: Mapping[str, object], path: str) -> str:
    """The text with these values, checked as if a person had written it; what is so already is not written."""
    now = settings_in(text, path)
    for name, value in values.items():
        if now.get(name, SETTINGS[name].default) != value:
            try:
                text = set_value(text, name, value)
            except Refused as problem:
                raise Refused(f"{path}: {problem}") from None
    settings_in(text, path)
    if "prices" in values:
        prices_in(text, path, "prices")
    return text


# ── a value as text ──


def shown_value(value: object) -> str:
    """A value as a form shows it in one line."""
    if isinstance(value, bool):
        return "on" if value else "off"
    if isinstance(value, list):
        return ", ".join(map(str, value))
    if isinstance(value, dict):
        return ", ".join(f"{write_value(name)}: {_flow(part)}" for name, part in value.items())
    return str(value).removesuffix(".0") if isinstance(value, float) else str(value)


def hidden_value(text: str) -> str:
    """What may be seen of a setting that is a secret: of each address, its service."""
    addresses = [address.partition("://") for address in names_in(text)]
    return ", ".join(f"{service}://…" if separator else "…" for service, separator, _ in addresses)


def _flow(value: object) -> str:
    if isinstance(value, dict):
        return "{" + shown_value(value) + "}"
    return "[" + ", ".join(map(_flow, value)) + "]" if isinstance(value, list) else write_value(value)


def read_value(name: str, text: str) -> object:
    """What a text means for a setting; an empty one is the default."""
    setting, text = SETTINGS[name], text.strip()
    if not text:
        return setting.default
    try:
        return _as_kind(setting, text)
    except (ValueError, KeyError, OrangeError):
        raise Refused(f"{name}: '{text[:60]}' is not {_WANTED[setting.kind]}") from None


def _as_kind(setting: Setting, text: str) -> object:
    if setting.kind is bool:
        return _SWITCH[text]
    if setting.kind in {int, float}:
        return setting.kind(text)
    if setting.kind is list:
        return names_in(text)
    if setting.kind is dict:
        node = yaml_text.compose("{" + text + "}")
        return yaml_text.to_value(node) if node is not None else {}
    return text


_WANTED = {
    bool: "on or off",
    int: "a number",
    float: "a number",
    list: "a list of names, with commas between them",
    dict: "a list of names with their values, such as `merge: f5, cancel: X`",
    str: "text",
}


def names_in(text: str) -> list[str]:
    """Names with commas or blanks between them; an address may have commas within."""
    words = [word.strip(",") for word in text.split()]
    parts = [part for word in words for part in ([word] if "://" in word else re.split(",+", word))]
    return [part for part in parts if part]
