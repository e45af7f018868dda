"""The agents Orange knows by itself. Every flag here was tried with the version named; the reasons stand beside them.

A new agent is one entry here, or one in the person's `harnesses.yml`.
"""

from __future__ import annotations

import json

from orange_tui.domain.harnesses.harness import Dialog, Harness, ScreenPatterns

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

# --- Claude Code 2.1.325 ---------------------------------------------------------------------------------------
# A permission mode always: the default is `auto`, which depends on a server-side check.
# --add-dir of the task's directory: its Edit refuses the symlink in the worktree, and under acceptEdits even
# reading the real TASK.md would be denied.
# `--` before the prompt: --add-dir and --allowedTools take every word that follows, and a prompt may begin with a dash.
_CLAUDE_TASK = ("--add-dir", "{task_dir}", "{options}")
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
_CLAUDE_RESUME = ("--resume", "{session_id}", "--", "{prompt}")

_CLAUDE_EVENTS = {
    "SessionStart": "idle",
    "UserPromptSubmit": "busy",
    "PermissionRequest": "permission",  # at once; the notification comes six seconds later
    "Notification:permission_prompt": "permission",
    "Notification:idle_prompt": "idle",
    "Stop": "idle",
    "StopFailure": "error",
    "SessionEnd": "unknown",
}


def _claude_hook(event: str) -> list[object]:
    # A hook that fails disturbs the person; one that is late or absent does not matter.
    command = f"{{orange}} task event --agent claude --event {event} 2>/dev/null || :"
    return [{"hooks": [{"type": "command", "command": command, "timeout": 10}]}]


_CLAUDE_SETTINGS = {
    "skipDangerousModePermissionPrompt": True,  # a dialog whose first answer is "No, exit"
    "hooks": {event: _claude_hook(event) for event in dict.fromkeys(name.partition(":")[0] for name in _CLAUDE_EVENTS)},
}

CLAUDE = Harness(
    name="claude",
    binary="claude",
    title="Claude Code",
    install="Install it with `npm install -g @anthropic-ai/claude-code` (Node 22 or newer), then run `claude` once.",
    full=("{binary}", *_CLAUDE_FULL, *_CLAUDE_TASK, "--", "{prompt}"),
    reduced=("{binary}", *_CLAUDE_REDUCED, *_CLAUDE_TASK, "--", "{prompt}"),
    resume=("{binary}", *_CLAUDE_REDUCED, *_CLAUDE_TASK, *_CLAUDE_RESUME),
    one_shot=("{binary}", "-p", *_CLAUDE_READ, "{options}", "--", "{prompt}"),
    one_shot_work=("{binary}", "-p", *_CLAUDE_WORK, *_CLAUDE_TASK, "--", "{prompt}"),
    system_prompt=("--append-system-prompt", "{system_prompt}"),
    root_full=("{binary}", *_CLAUDE_ROOT, *_CLAUDE_TASK, "--", "{prompt}"),
    model=("--model", "{model}"),
    effort=("--effort", "{effort}"),
    efforts=("low", "medium", "high", "xhigh", "max"),
    files={".claude/settings.local.json": json.dumps(_CLAUDE_SETTINGS)},
    excludes=("/.claude/settings.local.json",),
    skills="${CLAUDE_CONFIG_DIR:-~/.claude}/skills",
    screen=ScreenPatterns(
        busy=(r"esc to interrupt",),  # not there while somebody has a draft in the box: the title then
        idle=(r"✻ .* for \d+",),
        # A tool, an edit, a plan, a first-run dialog: all of them end so.
        permission=(r"(?s)(?:Do you want|Would you like) .*Esc to cancel", r"Enter to confirm · Esc to cancel"),
        error=(r"· Retrying", r"Unable to connect to Anthropic services"),
    ),
    window_title=ScreenPatterns(busy=(r"^[◐◑]",), idle=(r"^✳",)),
    dialogs=(
        Dialog(
            r"Is this a project you created or one you trust|Do you trust the files in this folder",
            "Claude Code asks whether you trust this repository: attach and answer, or run `claude` once in the main"
            " repository; that counts for all its worktrees.",
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
)

# --- Codex 0.166.0 ---------------------------------------------------------------------------------------------
# --no-daemon: its shared server survives the window, and commands it runs do not see ORANGE_TASK.
# `projects` on the command line answers "Trust this folder?" for this run and saves nothing; asked for is the
# main repository, whichever worktree it runs in.
# `notify` tells when a turn is over, and the conversation's id.
_CODEX_ALWAYS = (
    "--no-daemon",
    "-c",
    'projects={"{repository}"={trust_level="trusted"}}',
    "-c",
    'notify=["{orange}","task","event","--agent","codex","--event","notify"]',
    "{options}",
)
_CODEX_FULL = ("--dangerously-bypass-approvals-and-sandbox",)
# Reduced: a sandbox, and a question for what goes beyond. A commit in a worktree writes to four places in the
# main repository's .git; TASK.md and its lock are in the task's directory. Network, because without it the
# sandbox forbids every connect(), to tmux's socket too, and `orange task update` could start no reviewer.
_CODEX_REDUCED = (
    "-s",
    "workspace-write",
    "-a",
    "on-request",
    "-c",
    "sandbox_workspace_write.network_access=true",
    "--add-dir",
    "{task_dir}",
    "--add-dir",
    "{worktree_git}",
    "--add-dir",
    "{repository_git}/objects",
    "--add-dir",
    "{repository_git}/refs",
    "--add-dir",
    "{repository_git}/logs",
)
_CODEX_RESUME = ("--", "{session_id}", "{prompt}")

CODEX = Harness(
    name="codex",
    binary="codex",
    title="Codex",
    install="Install it with `npm install -g @openai/codex`, then run `codex` once to log in.",
    full=("{binary}", *_CODEX_ALWAYS, *_CODEX_FULL, "--", "{prompt}"),
    reduced=("{binary}", *_CODEX_ALWAYS, *_CODEX_REDUCED, "--", "{prompt}"),
    resume=("{binary}", "resume", *_CODEX_ALWAYS, *_CODEX_REDUCED, *_CODEX_RESUME),
    one_shot=("{binary}", "exec", "-s", "read-only", "{options}", "--", "{prompt}"),
    one_shot_work=(
        "{binary}",
        "exec",
        "-s",
        "workspace-write",
        "--add-dir",
        "{task_dir}",
        "{options}",
        "--",
        "{prompt}",
    ),
    model=("-m", "{model}"),
    effort=("-c", 'model_reasoning_effort="{effort}"'),
    efforts=("minimal", "low", "medium", "high", "xhigh"),
    skills="${CODEX_HOME:-~/.codex}/skills",
    screen=ScreenPatterns(
        busy=(r"esc to interrupt\)",),
        idle=(r"Ask Codex to do anything",),
        permission=(
            r"Would you like to (?:run the following command|make the following edits|grant these permissions)\?",
            r"Would you like to send input to |Do you want to approve network access to ",
            r"Trust this folder\?",
        ),
        error=(r"Reconnecting\.\.\.",),
    ),
    window_title=ScreenPatterns(busy=(r"^[⠀-⣿]",), permission=(r"^\[ [!.] \] Action Required",)),
    dialogs=(
        Dialog(
            r"Trust this folder\?",
            "Codex asks whether you trust this repository: attach and answer, or run `codex` once in the main"
            " repository; that counts for all its worktrees.",
        ),
        Dialog(
            r"Sign in with ChatGPT",
            "Codex is not logged in: run `codex login` in any terminal.",
        ),
    ),
    events={"agent-turn-complete": "idle"},
    hidden_threads=("Generate a concise, single-line task title",),
)

# --- opencode 1.18.33 ------------------------------------------------------------------------------------------
# --auto approves what it would ask for. Without it, it asks little: mostly about files outside the worktree, and
# the real TASK.md is one; the variable allows that one directory, and leaves the person's own rules as they are.
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
OPENCODE = Harness(
    name="opencode",
    binary="opencode",
    title="opencode",
    install="Install it with `npm install -g opencode-ai`, then run `opencode` once and choose a provider (/connect).",
    full=("{binary}", "--auto", "{options}", "--prompt", "{prompt}"),
    reduced=("{binary}", "{options}", "--prompt", "{prompt}"),
    resume=("{binary}", "{options}", "--session", "{session_id}"),
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
    skills="${XDG_CONFIG_HOME:-~/.config}/opencode/skills",
    screen=ScreenPatterns(
        busy=(r"esc interrupt",),
        idle=(r"ctrl\+p commands",),  # the footer: there as soon as it takes keys, and while busy, too
        permission=(r"△ (?:Permission required|Always allow|Reject permission)",),
        error=(r"Cannot connect to API",),
    ),
)

# --- pi 0.73.1 -------------------------------------------------------------------------------------------------
# pi has no permissions and no `--`: it does what it is told. A prompt must begin with a word (see `guarded`).
# --session takes the beginning of an id. --tools lists all that it has, those of extensions included: what reads.
PI = Harness(
    name="pi",
    binary="pi",
    title="pi",
    install="Install it with `npm install -g @mariozechner/pi-coding-agent`, then run `pi` once and log in (/login).",
    full=("{binary}", "{options}", "{prompt}"),
    reduced=("{binary}", "{options}", "{prompt}"),
    resume=("{binary}", "{options}", "--session", "{session_id}", "{prompt}"),
    one_shot=("{binary}", "{options}", "--tools", "read,grep,find,ls", "-p", "{prompt}"),
    one_shot_work=("{binary}", "{options}", "-p", "{prompt}"),
    model=("--model", "{model}"),
    effort=("--thinking", "{effort}"),
    efforts=("off", "minimal", "low", "medium", "high", "xhigh"),
    skills="${PI_CODING_AGENT_DIR:-~/.pi/agent}/skills",
    screen=ScreenPatterns(
        busy=(r"Working\.\.\.",),
        idle=(r"\d%/\S+ \(auto\)",),  # the footer: how full its memory is
        error=(r"Error: No API key found",),
    ),
)

# --- the demo --------------------------------------------------------------------------------------------------
DEMO = Harness(
    name="demo",
    binary="{python}",
    title="The demo agent",
    install="It comes with Orange.",
    full=("{python}", "-m", "orange_tui.demo.agent", "{prompt}"),
    reduced=("{python}", "-m", "orange_tui.demo.agent", "{prompt}"),
    one_shot=("{python}", "-m", "orange_tui.demo.one_shot", "{prompt}"),
    one_shot_work=("{python}", "-m", "orange_tui.demo.one_shot", "{prompt}"),
    window_title=ScreenPatterns(busy=(r"^demo · busy",), idle=(r"^demo · (?:idle|asks)",)),
)

SHIPPED: Mapping[str, Harness] = {harness.name: harness for harness in (CLAUDE, CODEX, OPENCODE, PI, DEMO)}
