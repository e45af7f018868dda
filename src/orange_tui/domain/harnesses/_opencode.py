"""opencode, as of 1.18.33."""

from __future__ import annotations

import json

from orange_tui.domain.harnesses.harness import Harness, SandboxNeeds, ScreenPatterns

# --auto approves what it would ask for. Without it, it asks little: mostly about files outside the worktree, and
# the real TASK.md is one; the variable allows that one directory, and leaves the person's own rules as they are.
# Reduced: an extension of ours has the person asked in Orange what it asks in its window. A variable names it; one that
# the person has set stays as it is, and then there is its own dialog alone. Never with --auto: what opencode then
# allows by itself would be a question first.
# There is no flag for effort but in `run`. A resumed session ignores --prompt: the text must come as a message.
# Read-only: an agent of our own, in configuration that comes after the person's, has no permission but to read.
_OPENCODE_READ = {
    "agent": {
        "orange-read": {
            "mode": "primary",
            "description": "Reads, and changes nothing.",
            "permission": {"*": "deny", "read": "allow", "grep": "allow", "glob": "allow", "list": "allow"},
        }
    }
}
_OPENCODE_ASKS = (
    "/bin/sh",
    "-c",
    ': "${OPENCODE_CONFIG_CONTENT:=$0}"; export OPENCODE_CONFIG_CONTENT; exec "$@"',
    '{"plugin":["{extensions}/opencode.js"]}',
    "{binary}",
)
_CONFIG = "${XDG_CONFIG_HOME:-~/.config}/opencode"
_DATA = "${XDG_DATA_HOME:-~/.local/share}/opencode"

OPENCODE = Harness(
    name="opencode",
    binary="opencode",
    title="opencode",
    install="Install it with `npm install -g opencode-ai`, then run `opencode` once and choose a provider (/connect).",
    full=("{binary}", "--auto", "{options}", "--prompt", "{prompt}"),
    reduced=(*_OPENCODE_ASKS, "{options}", "--prompt", "{prompt}"),
    resume=(*_OPENCODE_ASKS, "{options}", "--session", "{session_id}"),
    one_shot=(
        "env",
        f"OPENCODE_CONFIG_CONTENT={json.dumps(_OPENCODE_READ)}",
        "{binary}",
        "run",
        "--agent",
        "orange-read",
        "{options}",
        "--",
        "{prompt}",
    ),
    one_shot_work=("{binary}", "run", "{options}", "--", "{prompt}"),
    model=("-m", "{model}"),
    environment={"OPENCODE_PERMISSION": '{"external_directory": {"{task_dir}/*": "allow"}}'},
    skills=f"{_CONFIG}/skills",
    sessions=f"{_DATA}/opencode.db",
    session_format="opencode",
    screen=ScreenPatterns(
        starting=(r"▀▀▀▀ █▀▀▀ ▀▀▀▀",),  # its name in large letters, with the prompt in a box that takes no keys yet
        busy=(r"esc (?:again to )?interrupt",),
        idle=(r"ctrl\+p commands",),  # the footer: there as soon as it takes keys, and while busy, too
        permission=(r"△ (?:Permission required|Always allow|Reject permission)",),
        error=(r"Cannot connect to API", r"\[retrying .*attempt #\d+\]"),
        # It waits for the time that the provider names; what takes longer than a minute is no hiccup.
        # Its own words stand alone: within a sentence they are what it writes about.
        limit=(
            r"(?im)(?:^[^\w\n]*|\s{3})(?:(?:usage|free|go) limit reached|free usage exceeded)",
            r"\[retrying in \d+[dhm] ",
        ),
    ),
    # To the right of it there may be a sidebar.
    asks=(r"△ Permission required(?:.*\n[\s┃]*# .*)?.*\n(?:[\s┃]*\n)?[\s┃]*(?:[$→←*] )?(\S.*?)(?:\s{3,}|\n)",),
    sandbox=SandboxNeeds(
        # Its database is one for all, with files beside it that come and go. The programs it has fetched, and the git
        # repositories of its snapshots, would be run outside, too.
        copied=(_CONFIG, "${XDG_STATE_HOME:-~/.local/state}/opencode", f"{_DATA}/snapshot", f"{_DATA}/log"),
        write=(f"{_DATA}/",),
        read=(
            f"{_DATA}/bin",
            *(f"{_CONFIG}/{name}" for name in ("agent", "agents", "command", "commands", "modes", "node_modules")),
            *(f"{_CONFIG}/{name}" for name in ("plugin", "plugins", "skill", "skills", "themes", "tool", "tools")),
        ),
    ),
)
