"""Codex, as of 0.169.0."""

from __future__ import annotations

from orange_tui.domain.harnesses.harness import Dialog, Harness, SandboxNeeds, ScreenPatterns

# --no-daemon: its shared server survives the window, and commands it runs do not see ORANGE_TASK.
# `projects` on the command line answers "Trust this folder?" for this run and saves nothing; asked for is the
# main repository, whichever worktree it runs in.
# `notify` tells when a turn is over, and the conversation's id.
# No login shell: Debian's /etc/profile sets a PATH of its own, and `orange` would not be found on it.
_CODEX_SHELL = ("-c", "allow_login_shell=false")
_CODEX_ALWAYS = (
    "--no-daemon",
    *_CODEX_SHELL,
    "-c",
    'projects={"{repository}"={trust_level="trusted"}}',
    "-c",
    'notify=["{orange}","task","event","--agent","codex","--event","notify"]',
    "{options}",
)
_CODEX_FULL = ("--dangerously-bypass-approvals-and-sandbox",)
# Its permission hook comes with the command line, and is trusted by its hash, for this run: nothing is saved.
# Reduced: a sandbox, and a question for what goes beyond. A commit in a worktree writes to four places in the
# main repository's .git; TASK.md is in the task's directory. Network, because without it the sandbox forbids every
# connect(), to the window's door too, and there would be no `orange`.
_CODEX_REDUCED = (
    "-s",
    "workspace-write",
    "-a",
    "on-request",
    "-c",
    "sandbox_workspace_write.network_access=true",
    "-c",
    "{codex_hooks}",
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

_CODEX_HOME = "${CODEX_HOME:-~/.codex}"
_CODEX_LAST = r"(?![\s\S]*(?:^› (?!Ask Codex|\d+\. )|esc to interrupt))"  # nothing has been said or done since

CODEX = Harness(
    name="codex",
    binary="codex",
    title="Codex",
    install="Install it with `npm install -g @openai/codex`, then run `codex` once to log in.",
    full=("{binary}", *_CODEX_ALWAYS, *_CODEX_FULL, "--", "{prompt}"),
    reduced=("{binary}", *_CODEX_ALWAYS, *_CODEX_REDUCED, "--", "{prompt}"),
    resume=("{binary}", "resume", *_CODEX_ALWAYS, *_CODEX_REDUCED, *_CODEX_RESUME),
    one_shot=("{binary}", "exec", *_CODEX_SHELL, "-s", "read-only", "{options}", "--", "{prompt}"),
    one_shot_work=(
        "{binary}",
        "exec",
        *_CODEX_SHELL,
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
    skills=f"{_CODEX_HOME}/skills",
    sessions=f"{_CODEX_HOME}/sessions",
    session_format="codex",
    screen=ScreenPatterns(
        starting=(r"(?s)⣿{3}.*Ask Codex to do anything\s+\? for shortcuts",),  # its picture; a dialog may follow
        busy=(r"esc to interrupt\)",),
        idle=(r"Ask Codex to do anything", r"\? for shortcuts"),
        permission=(
            r"Would you like to (?:run the following command|make the following edits|grant these permissions)\?",
            r"Would you like to send input to |Do you want to approve network access to ",
            r"Trust this folder\?",
            r"(?m)^› \d+\. (?![\s\S]*^› (?:Ask Codex|\s*$))",  # a menu; below it there is no input line
        ),
        error=(
            r"Reconnecting\.\.\.",
            # It stands where the turn has ended, until there is another.
            rf"(?m)^■ (?!Conversation interrupted|You.ve hit your usage limit){_CODEX_LAST}",
        ),
        limit=(rf"(?m)^■ You.ve hit your usage limit{_CODEX_LAST}",),
    ),
    asks=(
        r"(?ms)^\s*Would you like to run the following command\?.*?^\s*\$ (.+?)\n›",
        r"(?:Would you like|Do you want) to ([^\n?]+)",
        r"(?m)^ *(Switch to .+\?)",
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
    hides_dialog=True,
    events={"agent-turn-complete": "idle", "PermissionRequest": "permission"},
    hidden_threads=("Generate a concise, single-line task title",),
    sandbox=SandboxNeeds(
        copied=(_CODEX_HOME,),
        write=(f"{_CODEX_HOME}/sessions/", f"{_CODEX_HOME}/archived_sessions/"),
        # Since 0.169 it replaces this one, and where it cannot, it uses its tokens again until they are withdrawn.
        logins=(f"{_CODEX_HOME}/auth.json",),
        read=tuple(f"{_CODEX_HOME}/{name}" for name in ("prompts", "rules", "skills", "plugins", "agents")),
        environment={"CODEX_HOME": _CODEX_HOME},
        # Its own sandbox cannot be made inside of another: it can run nothing then ("setting up uid map").
        words={"workspace-write": "danger-full-access", "read-only": "danger-full-access"},
        variables=("OPENAI_*", "CODEX_*", "*_API_KEY"),
    ),
)
