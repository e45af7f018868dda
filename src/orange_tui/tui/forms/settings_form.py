"""The form for config.yml, made from the table of settings; it changes the file in place."""

from __future__ import annotations

from typing import TYPE_CHECKING

from orange_tui.home.settings.config_file import read_settings
from orange_tui.home.settings.table import SETTINGS
from orange_tui.options.settings_file import change_settings, names_in, read_value, shown_value
from orange_tui.tui.forms._table_form import TableField, TableForm
from orange_tui.tui.listing.columns import chosen_columns

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from orange_tui.home.settings.config_file import Settings
    from orange_tui.home.settings.table import Setting
    from orange_tui.tui.context import AppContext

_SWITCH = (("on", "on"), ("off", "off"))


class SettingsForm(TableForm):
    """Every setting with its value; what was changed is written to config.yml, and nothing else of it."""

    HEADING, SUBMIT = "Settings (config.yml)", "Save"

    def __init__(
        self, shared: AppContext, settings: Settings, check_keys: Callable[[Mapping[str, str]], object]
    ) -> None:
        super().__init__(shared, _table(settings))
        self._check_keys = check_keys  # of the app: only it knows its commands

    def table_now(self) -> list[TableField]:
        return _table(read_settings(self.shared.orange.home))

    def write(self, changes: Mapping[str, str]) -> None:
        if "keys" in changes:
            keys = read_value("keys", changes["keys"])
            self._check_keys({str(name): str(key) for name, key in keys.items()} if isinstance(keys, dict) else {})
        chosen_columns(names_in(changes.get("columns", "")))
        change_settings(self.shared.orange.home, changes)


def _table(settings: Settings) -> list[TableField]:
    return [_field(name, each, settings) for name, each in SETTINGS.items()]


def _field(name: str, setting: Setting, settings: Settings) -> TableField:
    default = shown_value(setting.default)
    choices = _SWITCH if setting.kind is bool else tuple((word, word) for word in setting.choices)
    said = f"{setting.meaning} Default: {default}." if default else setting.meaning
    if setting.is_secret:
        said += " Hidden until you type or click in it."
    shown = shown_value(settings.values[name])
    return TableField(name, name, shown, said, choices, default or "none", is_secret=setting.is_secret)
