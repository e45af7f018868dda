"""Claude Code, as of 2.1.326."""

from __future__ import annotations

import json

from orange_tui.domain.harnesses.harness import Dialog, Harness, SandboxNeeds, ScreenPatterns

# A permission mode always: the default is `auto`, which depends on a server-side check.
# --settings: the task's directory, as its Edit refuses the symlink in the worktree, and under acceptEdits even reading
# the real TASK.md would be denied; our status line, which hears of limits; what only settings of this rank can say.
# `--` before the prompt: --allowedTools takes every word that follows, and a prompt may begin with a dash.
_CLAUDE_TASK = ("--settings", "{claude_settings}", "{options}")
_CLAUDE_FULL = ("--permission-mode", "bypassPermissions")
# Reduced: files may be edited, and the two programs that every task needs run without a question.
_CLAUDE_REDUCED = ("--permission-mode", "acceptEdits", "--allowedTools", "Bash(git:*),Bash(orange:*)")
# Bypassing is refused to root (exit 1, the window vanishes). To claim a sandbox (IS_SANDBOX=1) would be a lie; this
# runs as root, and what is not on the list is refused instead of asked for.
_CLAUDE_ROOT = (
    "--permission-mode",
    "dontAsk",
    "--allowedTools",
    "Bash,Edit,Write,Read,Glob,Grep,NotebookEdit,WebFetch,WebSearch,Task,TodoWrite,Skill",
)
# Alone, with nobody to ask: it may edit and write, what it would ask for is refused, and nothing is removed.
_CLAUDE_WORK = (
    "--permission-mode",
    "acceptEdits",
    "--allowedTools",
    "Write",
    "--disallowedTools",
    "Bash(rm *)",
    "--output-format",
    "json",
)
# Read-only: there is no tool to write with, whatever the person's own settings allow; their MCP servers are not there.
_CLAUDE_READ = ("--permission-mode", "dontAsk", "--tools", "Read,Glob,Grep", "--strict-mcp-config")
# By its id: `--continue` takes the last conversation of the directory, which may be the reviewer's.
# An id of our own choice: the conversation is known before it begins.
_CLAUDE_NEW = ("--session-id", "{new_session_id}", "--", "{prompt}")
_CLAUDE_RESUME = ("--resume", "{session_id}", "--", "{prompt}")

_ASKS = "PermissionRequest"
# It shows its own dialog while this hook waits, and whichever is answered first counts, so it may wait for a day:
# a question of the evening can be answered in the morning, and nothing hangs.
_ASK_SECONDS = 86_400
_CLAUDE_EVENTS = {
    "SessionStart": "idle",
    "UserPromptSubmit": "busy",
    _ASKS: "permission",  # at once; the notification comes six seconds later
    "Notification:permission_prompt": "permission",
    "Notification:idle_prompt": "idle",
    "Stop": "idle",
    "StopFailure:rate_limit": "limit",
    "StopFailure": "error",
    "SessionEnd": "unknown",
}


def _claude_hook(event: str) -> list[object]:
    # A hook that fails disturbs the person; one that is late or absent does not matter.
    verb = "ask --agent claude -" if event == _ASKS else f"event --agent claude --event {event}"
    command = f"{{orange}} task {verb} 2>/dev/null || :"
    return [{"hooks": [{"type": "command", "command": command, "timeout": _ASK_SECONDS if event == _ASKS else 10}]}]


_CLAUDE_SETTINGS = {
    "skipDangerousModePermissionPrompt": True,  # a dialog whose first answer is "No, exit"
    "hooks": {event: _claude_hook(event) for event in dict.fromkeys(name.partition(":")[0] for name in _CLAUDE_EVENTS)},
}

_CLAUDE_HOME = "${CLAUDE_CONFIG_DIR:-~/.claude}"
_CLAUDE_WORKING = r"^[·✢✳✶✻✽*] \S+…(?: \(|\s*$)"

CLAUDE = Harness(
    name="claude",
    binary="claude",
    title="Claude Code",
    install="Install it with `npm install -g @anthropic-ai/claude-code` (Node 22 or newer), then run `claude` once.",
    full=("{binary}", *_CLAUDE_FULL, *_CLAUDE_TASK, *_CLAUDE_NEW),
    reduced=("{binary}", *_CLAUDE_REDUCED, *_CLAUDE_TASK, *_CLAUDE_NEW),
    resume=("{binary}", *_CLAUDE_REDUCED, *_CLAUDE_TASK, *_CLAUDE_RESUME),
    one_shot=("{binary}", "-p", *_CLAUDE_READ, "{options}", *_CLAUDE_NEW),
    one_shot_work=("{binary}", "-p", *_CLAUDE_WORK, *_CLAUDE_TASK, *_CLAUDE_NEW),
    system_prompt=("--append-system-prompt", "{system_prompt}"),
    root_full=("{binary}", *_CLAUDE_ROOT, *_CLAUDE_TASK, *_CLAUDE_NEW),
    model=("--model", "{model}"),
    effort=("--effort", "{effort}"),
    efforts=("low", "medium", "high", "xhigh", "max"),
    files={".claude/settings.local.json": json.dumps(_CLAUDE_SETTINGS)},
    excludes=("/.claude/settings.local.json",),
    skills=f"{_CLAUDE_HOME}/skills",
    sessions=f"{_CLAUDE_HOME}/projects",
    session_format="claude",
    screen=ScreenPatterns(
        # The words are not there while somebody has a draft in the box, nor beside a status line of the person's own.
        busy=(r"esc to interrupt", rf"(?m){_CLAUDE_WORKING}"),
        idle=(r"(?m)^❯\s*$", r"✻ .* for \d+", r"Interrupted · What should Claude do instead"),
        # A tool, an edit, a question, a first-run dialog. A plan has nothing but its answers, and no input line below.
        permission=(
            r"(?ms)(?:Do you want|Would you like) .*^\s*Esc to cancel",
            r"Enter to (?:confirm|select) · .*Esc to cancel",
            r"(?m)^\s*❯ \d+\. (?![\s\S]*^❯\s*$)",
        ),
        error=(
            r"· Retrying",
            r"Unable to connect to Anthropic services",
            rf"(?m)^● API Error: (?![\s\S]*(?:^❯ \S|{_CLAUDE_WORKING}))",
        ),
        limit=(
            # Where it says so itself: the words alone may be what it writes about.
            r"(?m)^\s*⚠ Usage limit reached|^\s*(?:❯ )?\d\. Stop and wait for limit to reset",
            rf"(?m)^\s*⎿\s+You've hit your .*limit(?![\s\S]*(?:^❯ \S|^● (?!Usage limit)|{_CLAUDE_WORKING}))",
            # With a key instead of a subscription: it has tried ten times, for three minutes.
            rf"(?m)^● API Error: Request rejected \(429\)(?![\s\S]*(?:^❯ \S|{_CLAUDE_WORKING}))",
        ),
    ),
    asks=(
        r"(?ms)^\s*Bash command\s*$.*?^\s*╌{9,}\s*\n(.+?)\n\s*╌{9,}",
        r"(?:Do you want|Would you like) to (?!proceed)([^\n?]+)",
        r"(?m)^(?:.*☐.*\n)(.+)\n❯ \d+\. ",
        r"(Exit plan mode|What do you want to do)\?",
    ),
    dialogs=(
        Dialog(
            r"Is this a project you created or one you trust|Do you trust the files in this folder",
            "Claude Code asks whether you trust this repository: attach and answer, or run `claude` once in the main"
            " repository; that counts for all its worktrees.",
        ),
        Dialog(
            r"Is this a directory you created or one you trust",
            "Claude Code asks whether you trust a directory that --add-dir gives it: attach and answer it.",
        ),
        Dialog(
            r"running in Bypass Permissions mode",
            "Claude Code asks you to accept running without permission checks: attach and answer it once.",
        ),
        Dialog(
            r"Choose the text style|Select login method",
            "Claude Code has not been set up yet: run `claude` once in any terminal, choose a theme and log in.",
        ),
    ),
    events=_CLAUDE_EVENTS,
    sandbox=SandboxNeeds(
        # Its settings may have hooks and servers, which run at each start: none of them is written through. It does not
        # take a word once it cannot replace .claude.json, so that has a copy, in the one directory that is its own.
        copied=(_CLAUDE_HOME,),
        write=(f"{_CLAUDE_HOME}/projects/", f"{_CLAUDE_HOME}/file-history/", f"{_CLAUDE_HOME}/.credentials.json"),
        read=tuple(
            f"{_CLAUDE_HOME}/{name}"
            for name in ("agents", "commands", "hooks", "output-styles", "plugins", "rules", "skills")
        ),
        copies={"~/.claude.json": f"{_CLAUDE_HOME}/.claude.json"},
        environment={"CLAUDE_CONFIG_DIR": _CLAUDE_HOME},
        variables=("ANTHROPIC_*", "CLAUDE_*", "AWS_BEARER_TOKEN_BEDROCK"),
    ),
)
