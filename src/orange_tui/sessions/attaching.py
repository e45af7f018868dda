"""Showing a person an agent's session, with one key that leads back from it, inside tmux and outside.

The key (`back_key` in config.yml) is bound in a table of its own that only the sessions that were attached to use, so
it means nothing in the person's other sessions. That table has all that is bound without a prefix there (the mouse,
keys of the person's own) besides ours, and is made anew each time: of a key that was chosen before, nothing is left,
and all these sessions name the one that leads back now. Everything else is options of the session, which end with it;
the table itself is taken away by tmux when the last session that uses it closes, whether an Orange is there to see it
or was killed long ago.
"""

from __future__ import annotations

import os

from orange_tui.domain.errors import OrangeError
from orange_tui.domain.records import record
from orange_tui.home.settings.config_file import read_settings
from orange_tui.home.settings.table import SETTINGS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from orange_tui.home.paths import Home
    from orange_tui.outside.tmux.server import Tmux

BACK_KEY = str(SETTINGS["back_key"].default)
_MODIFIERS = {"ctrl": "C-", "alt": "M-"}  # as people write them, and tmux
_TABLE = "orange"
_HOOK = "session-closed[9401]"  # any number that a person would not choose
_HINT_CELLS = 80
_COPIED_TABLE = "-T root"

# Who was shown the session by `tmux attach` goes back by detaching, others to the window of Orange that sent them
# here; where that is gone, to the session they were in before.
_LEAVE = """\
if-shell -F '#{m:* #{client_pid} *,#{@orange_clients}}' { detach-client } {
  if-shell -F '#{&&:#{@orange_back},#{m:* #{@orange_back} *, #{S:#{W:#{P:#{pane_id} }}}}}' {
    run-shell -C "switch-client -t '#{@orange_back}'"
  } {
    if-shell -F '#{client_last_session}' { switch-client -l } { detach-client }
  }
}"""
_BINDING = """\
bind-key -T {table} {tmux_key} {{
{leave}
}}
set-hook -g '{hook}' {{
  if-shell -F '#{{m:* {table} *, #{{S:#{{key-table}} }}}}' {{ }} {{
    unbind-key -a -T {table}
    set-hook -gu '{hook}'
  }}
}}
"""
# A status line that is switched off is on here, of several lines none is lost, and it stays where the person has it.
_HINT = """\
set-option -t '{session}' key-table {table}
set-option -t '{session}' status-left '#[reverse] {key} back to Orange #[noreverse] [#{{session_name}}] '
set-option -t '{session}' status-left-length {cells}
if-shell -F -t '{session}' '#{{==:#{{status}},off}}' {{ set-option -t '{session}' status on }}
if-shell -F -t '{session}' '#{{session_attached}}' {{ }} {{ set-option -u -t '{session}' @orange_clients }}
"""


@record
class AttachCommand:
    """How a person is shown a session; `switches`: in the tmux they are in already, which gives nothing back."""

    words: tuple[str, ...]
    environment: Mapping[str, str]
    switches: bool


def back_key(home: Home) -> str:
    """The key that leads back, as people write it; who has broken config.yml meanwhile can attach all the same."""
    try:
        return read_settings(home).text("back_key")
    except OrangeError:
        return BACK_KEY


def attach_command(tmux: Tmux, session_id: str, key: str) -> AttachCommand:
    """The command that shows a session to a person: within the same server it switches there."""
    _bind_way_back(tmux, session_id, key)
    if _is_inside(tmux):
        tmux.ask("set-option", "-t", session_id, "@orange_back", os.environ.get("TMUX_PANE", ""))
        words = ("tmux", *tmux.server, "switch-client", "-t", session_id)
        return AttachCommand(words, dict(os.environ), switches=True)
    remember = ("set-option", "-aF", "-t", session_id, "@orange_clients", " #{client_pid} ")
    words = ("tmux", *tmux.server, "attach-session", "-t", session_id, ";", *remember)
    # Inside another server tmux refuses to nest unless it does not know of it.
    environment = {name: value for name, value in os.environ.items() if name not in {"TMUX", "TMUX_PANE"}}
    return AttachCommand(words, environment, switches=False)


def _is_inside(tmux: Tmux) -> bool:
    """Whether we run in a window of this very server."""
    inside = os.environ.get("TMUX", "").split(",")[0]
    return bool(inside) and tmux.ask("display-message", "-p", "#{socket_path}").output.strip() == inside


def _bind_way_back(tmux: Tmux, session_id: str, key: str) -> None:
    """Bind the key in this session, and name it there; where a tmux is too old for it, its own keys lead back."""
    bound = tmux.ask("list-keys", *_COPIED_TABLE.split()).output.splitlines()
    copied = "\n".join(line.replace(_COPIED_TABLE, f"-T {_TABLE}", 1) for line in bound)
    tmux.ask("unbind-key", "-a", "-T", _TABLE)
    tmux.ask("source-file", "-", stdin=f"{copied}\n".encode())
    values = {"table": _TABLE, "key": key, "hook": _HOOK, "cells": _HINT_CELLS}
    binding = _BINDING.format(tmux_key=_tmux_key(key), leave=_LEAVE, **values)
    hints = (_HINT.format(session=each, **values) for each in {session_id, *_sessions_with_key(tmux)})
    tmux.ask("source-file", "-", stdin="".join([binding, *hints]).encode())


def _sessions_with_key(tmux: Tmux) -> list[str]:
    lines = tmux.ask("list-sessions", "-F", "#{session_id} #{key-table}").output.splitlines()
    return [name for name, _, table in (line.partition(" ") for line in lines) if table == _TABLE]


def _tmux_key(key: str) -> str:
    """A key as tmux calls it: C-g, M-o or F9."""
    modifier, _, name = key.rpartition("+")
    return f"{_MODIFIERS[modifier]}{name}" if modifier else name.upper()
