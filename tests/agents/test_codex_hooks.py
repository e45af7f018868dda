"""Codex gets our permission hook only where it would trust it: a dialog at its start would stop an unattended agent."""

from __future__ import annotations

import hashlib
import json
import re
import tomllib
from typing import TYPE_CHECKING

import pytest

from orange_tui.agents.approvals.codex_hooks import NO_HOOKS, codex_hooks
from orange_tui.domain.harnesses.shipped import SHIPPED
from orange_tui.domain.records import replace

if TYPE_CHECKING:
    from pathlib import Path

# What Codex 0.166.0 answers, as far as it matters here; each question is counted in a file.
SERVER = """\
#!/bin/sh
echo asked >>"$0.count"
[ "$1" = -c ] && [ "$3" = app-server ] || exit 1
while read -r line; do
    case $line in
        *hooks/list*) echo '{"id":1,"result":{}}'; printf '%s\\n' '@ANSWER@' ;;
    esac
done
"""
PLACE = "/<session-flags>/config.toml:permission_request:0:0"


def server(folder: Path, *, answer: str) -> Path:
    program = folder / "codex"
    program.write_text(SERVER.replace("@ANSWER@", answer))
    program.chmod(0o755)
    return program


def listed(status: str, key: str = PLACE) -> str:
    hooks = [{"key": "/home/ada/.codex/config.toml:stop:0:0", "trustStatus": "trusted"}]
    hooks.append({"key": key, "trustStatus": status})
    return json.dumps({"id": 2, "result": {"data": [{"cwd": "/", "hooks": hooks}]}}, separators=(",", ":"))


def hooks_with(tmp_path: Path, answer: str, orange: str = "/usr/bin/orange") -> str:
    program = server(tmp_path, answer=answer)
    return codex_hooks(replace(SHIPPED["codex"], binary=str(program)), str(tmp_path / "home"), orange)


@pytest.mark.parametrize("orange", ["/usr/bin/orange", "/my \"own\" 'place'/orange", "/ü/orange"])
def test_a_trusted_hook_asks_through_orange_and_comes_with_its_hash(tmp_path: Path, orange: str) -> None:
    found = tomllib.loads(hooks_with(tmp_path, listed("trusted"), orange))["hooks"]
    (hook,) = found["PermissionRequest"][0]["hooks"]
    assert hook["command"].endswith(" task ask --agent codex - 2>/dev/null || :")
    assert hook["timeout"] >= 12 * 3600
    identity = {"event_name": "permission_request", "hooks": [{**hook, "async": False}]}
    text = json.dumps(identity, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    assert found["state"] == {PLACE: {"trusted_hash": f"sha256:{hashlib.sha256(text.encode()).hexdigest()}"}}


@pytest.mark.parametrize(
    "answer", [listed("untrusted"), listed("modified"), listed("trusted", "/x"), '"hooks": nothing']
)
def test_a_codex_that_would_ask_about_the_hook_gets_none(tmp_path: Path, answer: str) -> None:
    assert hooks_with(tmp_path, answer) == NO_HOOKS


def test_a_codex_is_asked_once_and_again_when_it_is_another(tmp_path: Path) -> None:
    first = [hooks_with(tmp_path, listed("trusted")) for _ in range(1)]
    program = tmp_path / "codex"
    harness = replace(SHIPPED["codex"], binary=str(program))
    again = codex_hooks(harness, str(tmp_path / "home"), "/usr/bin/orange")
    assert first == [again]
    assert (tmp_path / "codex.count").read_text() == "asked\n"
    assert hooks_with(tmp_path, listed("untrusted") + " ") == NO_HOOKS
    assert (tmp_path / "codex.count").read_text() == "asked\nasked\n"


def test_without_codex_nothing_is_asked(tmp_path: Path) -> None:
    assert codex_hooks(replace(SHIPPED["codex"], binary="no-such-codex"), str(tmp_path), "/usr/bin/orange") == NO_HOOKS
    assert codex_hooks(SHIPPED["claude"], str(tmp_path), "/usr/bin/orange") == NO_HOOKS


def test_the_hash_is_the_one_that_codex_makes() -> None:
    """Taken from Codex 0.166.0 for this very definition (`hooks/list`, `currentHash`)."""
    identity = (
        '{"event_name":"permission_request","hooks":[{"async":false,"command":"/bin/true a b","timeout":600,'
        '"type":"command"}]}'
    )
    made = hashlib.sha256(identity.encode()).hexdigest()
    assert made == "d22d18d721e80d818243ae13df261c86efc733dc3f47c914745c7debdd735514"
    assert re.fullmatch(r"[0-9a-f]{64}", made)
