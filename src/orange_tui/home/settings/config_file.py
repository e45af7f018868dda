"""config.yml as it is read: the values that a person has set, and defaults for the rest."""

from __future__ import annotations

import os

from orange_tui.domain.errors import NotFound, Refused, Unreadable
from orange_tui.domain.records import record
from orange_tui.domain.sandbox.tables import OFF
from orange_tui.home.files import read_bytes
from orange_tui.home.settings.table import SETTINGS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import tzinfo

    from orange_tui.home.paths import Home
    from orange_tui.home.settings.table import Setting

_KINDS = {
    str: "text",
    int: "a number",
    float: "a number",
    bool: "true or false",
    dict: "a mapping of names to texts",
    list: "a list of names",
}


@record
class Settings:
    """The values of config.yml, with defaults for the rest."""

    values: Mapping[str, object]

    def text(self, name: str) -> str:
        """A setting that is text."""
        return str(self.values[name])

    def texts(self, name: str) -> dict[str, str]:
        """A setting that is a mapping of names to texts."""
        value = self.values[name]
        return {str(key): str(text) for key, text in value.items()} if isinstance(value, dict) else {}

    def names(self, name: str) -> list[str]:
        """A setting that is a list of names."""
        value = self.values[name]
        return [str(item) for item in value] if isinstance(value, list) else []

    def number(self, name: str) -> int:
        """A setting that is a whole number."""
        value = self.values[name]
        return value if isinstance(value, int) else 0

    def amount(self, name: str) -> float:
        """A setting that is a number with a fraction."""
        value = self.values[name]
        return value if isinstance(value, int | float) else 0.0

    def flag(self, name: str) -> bool:
        """A setting that is on or off."""
        return bool(self.values[name])

    def time_zone(self) -> tzinfo:
        """The zone that cron expressions are meant in."""
        from orange_tui.home.time_zone import local_zone

        return local_zone(self.text("timezone"))


def read_settings(home: Home) -> Settings:
    """Read config.yml; a mistake in it is an error with file and line, never ignored."""
    path = settings_path(home)
    defaults = {name: setting.default for name, setting in SETTINGS.items()}
    try:
        return Settings(defaults | settings_in(read_settings_text(path), path))
    except NotFound:
        return Settings(defaults)


def read_settings_text(path: str) -> str:
    """The whole text of config.yml. Of one that is too long there is a byte too many, so that nobody parses a part."""
    from orange_tui.domain.text.yaml_text import MAX_BYTES

    try:
        return read_bytes(path, max_bytes=MAX_BYTES).decode()
    except UnicodeDecodeError:
        raise Unreadable(f"{path} is not UTF-8 text") from None


def settings_path(home: Home) -> str:
    """Where config.yml is."""
    return os.path.join(home.root, "config.yml")


def settings_in(text: str, path: str) -> dict[str, object]:
    """The settings that a text has; what is wrong is an error with the line in `path`."""
    from orange_tui.domain.text import yaml_text

    try:
        node = yaml_text.compose(text)
        entries = yaml_text.mapping_entries(node) if node is not None else []
        return {key: _value(key, yaml_text.to_value(value), line) for key, line, value in entries}
    except Unreadable as problem:
        raise Unreadable(f"{path}:{problem.line or 1}: {problem.reason}") from None


def _as_meant(setting: Setting, value: object) -> object:
    """What YAML reads otherwise than it was meant: a round number, and `off`, which is false to it."""
    if setting.kind is float and type(value) is int:
        return float(value)
    if setting.default == OFF and isinstance(value, bool):
        return "on" if value else OFF
    return value


def _value(key: str, value: object, line: int) -> object:
    setting = SETTINGS.get(key)
    if setting is None:
        raise Unreadable(f"there is no setting '{key}'; the settings are {', '.join(SETTINGS)}", line=line)
    value = _as_meant(setting, value)
    if type(value) is not setting.kind:
        raise Unreadable(f"'{key}' must be {_KINDS[setting.kind]}", line=line)
    if isinstance(value, list) and not all(isinstance(item, str) for item in value):
        raise Unreadable(f"'{key}' must be a list of names", line=line)
    if setting.check is not None:
        try:
            for item in value if isinstance(value, list) else (value,):
                setting.check(str(item))
        except Refused as problem:
            raise Unreadable(f"{key}: {problem}", line=line) from None
    return value
