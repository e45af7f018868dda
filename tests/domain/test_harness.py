"""The exact words that start each agent, and why no prompt, model or path can turn them into something else."""

from __future__ import annotations

import json
import tomllib

import pytest

from orange_tui.domain.errors import Refused
from orange_tui.domain.harnesses.harness import (
    PLACEHOLDERS,
    PROMPT,
    Harness,
    build_command,
    check_effort,
    environment,
    placeholders,
    resume_mode,
    safe_prompt,
)
from orange_tui.domain.harnesses.shipped import CLAUDE, CODEX, DEMO, OPENCODE, PI, SHIPPED
from orange_tui.domain.records import replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from orange_tui.domain.harnesses.harness import Mode

VALUES = {
    "task_dir": "/home/o/tasks/coffee/k3x9",
    "worktree": "/home/o/workspaces/coffee--1",
    "repository": "/src/coffee",
    "repository_git": "/src/coffee/.git",
    "worktree_git": "/src/coffee/.git/worktrees/coffee--1",
    "python": "/usr/bin/python3",
    "orange": "/usr/bin/orange",
    "session_id": "0a1b-2c3d",
    "new_session_id": "9f8e-7d6c",
    "extensions": "/orange/extensions",
    "claude_settings": "{}",
    "codex_hooks": "hooks={}",
}
MODES: tuple[Mode, ...] = ("full", "reduced", "resume", "one_shot", "one_shot_work")
NEW = {**VALUES, "session_id": ""}

TASK = ["--settings", "{}"]
REDUCED = ["--permission-mode", "acceptEdits", "--allowedTools", "Bash(git:*),Bash(orange:*)"]
EXTENSION = ["-e", "/orange/extensions/pi.js"]
OPENCODE_ASKS = [
    *["/bin/sh", "-c", ': "${OPENCODE_CONFIG_CONTENT:=$0}"; export OPENCODE_CONFIG_CONTENT; exec "$@"'],
    '{"plugin":["/orange/extensions/opencode.js"]}',
]
NEW_SESSION = ["--session-id", "9f8e-7d6c"]
READ_ONLY = ["--permission-mode", "dontAsk", "--tools", "Read,Glob,Grep", "--strict-mcp-config"]
CODEX_ALWAYS = [
    "--no-daemon",
    "-c",
    "allow_login_shell=false",
    "-c",
    'projects={"/src/coffee"={trust_level="trusted"}}',
    "-c",
    'notify=["/usr/bin/orange","task","event","--agent","codex","--event","notify"]',
]
SANDBOX = [
    *["-s", "workspace-write", "-a", "on-request", "-c", "sandbox_workspace_write.network_access=true"],
    *["-c", "hooks={}"],
    *["--add-dir", "/home/o/tasks/coffee/k3x9", "--add-dir", "/src/coffee/.git/worktrees/coffee--1"],
    *[
        "--add-dir",
        "/src/coffee/.git/objects",
        "--add-dir",
        "/src/coffee/.git/refs",
        "--add-dir",
        "/src/coffee/.git/logs",
    ],
]


@pytest.mark.parametrize(
    ("harness", "mode", "words"),
    [
        (CLAUDE, "full", ["claude", "--permission-mode", "bypassPermissions", *TASK, *NEW_SESSION, "--", PROMPT]),
        (CLAUDE, "reduced", ["claude", *REDUCED, *TASK, *NEW_SESSION, "--", PROMPT]),
        (CLAUDE, "resume", ["claude", *REDUCED, *TASK, "--resume", "0a1b-2c3d", "--", PROMPT]),
        (CLAUDE, "one_shot", ["claude", "-p", *READ_ONLY, *NEW_SESSION, "--", PROMPT]),
        (CODEX, "full", ["codex", *CODEX_ALWAYS, "--dangerously-bypass-approvals-and-sandbox", "--", PROMPT]),
        (CODEX, "reduced", ["codex", *CODEX_ALWAYS, *SANDBOX, "--", PROMPT]),
        (CODEX, "resume", ["codex", "resume", *CODEX_ALWAYS, *SANDBOX, "--", "0a1b-2c3d", PROMPT]),
        (CODEX, "one_shot", ["codex", "exec", "-c", "allow_login_shell=false", "-s", "read-only", "--", PROMPT]),
        (OPENCODE, "full", ["opencode", "--auto", "--prompt", PROMPT]),
        (OPENCODE, "reduced", [*OPENCODE_ASKS, "opencode", "--prompt", PROMPT]),
        (OPENCODE, "resume", [*OPENCODE_ASKS, "opencode", "--session", "0a1b-2c3d"]),
        (PI, "full", ["pi", *EXTENSION, PROMPT]),
        (PI, "reduced", ["pi", *EXTENSION, PROMPT]),
        (PI, "resume", ["pi", *EXTENSION, "--session", "0a1b-2c3d", PROMPT]),
        (PI, "one_shot", ["pi", "--tools", "read,grep,find,ls", "-p", PROMPT]),
        (DEMO, "full", ["/usr/bin/python3", "-m", "orange_tui.demo.agent", PROMPT]),
        (DEMO, "reduced", ["/usr/bin/python3", "-m", "orange_tui.demo.agent", PROMPT]),
        (DEMO, "one_shot", ["/usr/bin/python3", "-m", "orange_tui.demo.one_shot", PROMPT]),
    ],
)
def test_each_agent_starts_with_exactly_this_command_line(harness: Harness, mode: Mode, words: list[str]) -> None:
    assert list(build_command(harness, mode, VALUES)) == words


def test_opencode_answers_as_an_agent_that_may_only_read() -> None:
    env, configuration, *words = build_command(OPENCODE, "one_shot", VALUES)
    assert (env, words) == ("env", ["opencode", "run", "--agent", "orange-read", "--", PROMPT])
    variable, _, value = configuration.partition("=")
    permission = json.loads(value)["agent"]["orange-read"]["permission"]
    assert variable == "OPENCODE_CONFIG_CONTENT"
    assert permission == {"*": "deny", "read": "allow", "grep": "allow", "glob": "allow", "list": "allow"}


@pytest.mark.parametrize(
    ("harness", "model", "effort", "added"),
    [
        (CLAUDE, "opus", "high", ["--model", "opus", "--effort", "high"]),
        (CLAUDE, None, "max", ["--effort", "max"]),
        (CODEX, "gpt-5", "xhigh", ["-m", "gpt-5", "-c", 'model_reasoning_effort="xhigh"']),
        (OPENCODE, "zen/big-pickle", "high", ["-m", "zen/big-pickle"]),  # it has no flag for effort: nothing is passed
        (PI, "openai/gpt-5:high", "off", ["--model", "openai/gpt-5:high", "--thinking", "off"]),
        (DEMO, "any", "any", []),
    ],
)
@pytest.mark.parametrize("mode", ["full", "reduced", "resume"])
def test_model_and_effort_are_flags_before_the_prompt(
    harness: Harness, mode: Mode, model: str | None, effort: str, added: list[str]
) -> None:
    plain = list(build_command(harness, mode, VALUES))
    words = list(build_command(harness, mode, VALUES, model=model, effort=effort))
    assert sorted(words) == sorted([*plain, *added])
    joined = "\0".join(words)
    assert "\0".join(added) in joined
    end = words.index("--") if "--" in words else len(words)
    assert all(words.index(word) < end for word in added)


def test_claude_gets_a_command_line_that_it_accepts_from_root() -> None:
    words = build_command(CLAUDE, "full", VALUES, root=True)
    assert words[:4] == ("claude", "--permission-mode", "dontAsk", "--allowedTools")
    assert {"Bash", "Edit", "Write", "Read"} <= set(words[4].split(","))
    assert words[-6:] == (*TASK, *NEW_SESSION, "--", PROMPT)
    assert "bypassPermissions" not in build_command(CLAUDE, "resume", VALUES, root=True)
    assert build_command(CLAUDE, "reduced", VALUES, root=True) == build_command(CLAUDE, "reduced", VALUES)
    assert build_command(CODEX, "full", VALUES, root=True) == build_command(CODEX, "full", VALUES)


@pytest.mark.parametrize("harness", SHIPPED.values(), ids=lambda harness: harness.name)
@pytest.mark.parametrize("root", [False, True])
@pytest.mark.parametrize("mode", MODES)
def test_no_placeholder_is_left_behind_but_the_prompt(harness: Harness, mode: Mode, *, root: bool) -> None:
    if not harness.command_line(mode, root=root):
        assert harness is DEMO
        return
    words = build_command(harness, mode, VALUES, model="m", effort=(harness.efforts or ("x",))[0], root=root)
    left = [word for word in words if set(placeholders(word)) & set(PLACEHOLDERS)]
    assert left in ([PROMPT], [])
    assert left == [PROMPT] or (harness is OPENCODE and mode.startswith("resume"))


@pytest.mark.parametrize("harness", [CLAUDE, CODEX], ids=lambda harness: harness.name)
@pytest.mark.parametrize("mode", MODES)
def test_a_prompt_that_begins_with_a_dash_cannot_be_a_flag(harness: Harness, mode: Mode) -> None:
    words = build_command(harness, mode, VALUES)
    assert words[-1] == PROMPT
    assert "--" in words[-3:-1]


@pytest.mark.parametrize("text", ["!rm -rf /", "-p", "/exit", "@secret", "# Title", "", "  \n!x", "--help", "…"])
def test_whatever_a_text_begins_with_an_agent_reads_it_as_text(text: str) -> None:
    assert safe_prompt(text)[0].isalpha()
    assert safe_prompt(text).endswith(text.strip())


@pytest.mark.parametrize("text", ["Task: fix it", "5 tests fail", "Überprüfe das"])
def test_a_text_that_begins_with_a_word_stays_as_it_is(text: str) -> None:
    assert safe_prompt(f"\n{text}\n") == text


def test_what_a_value_contains_is_never_filled_in_again() -> None:
    words = build_command(CODEX, "reduced", {**VALUES, "task_dir": "/odd/{worktree}/{prompt}"})
    assert "/odd/{worktree}/{prompt}" in words


def test_a_path_with_quotes_in_it_stays_inside_the_text_it_stands_in() -> None:
    odd = '/odd/a"b\\c'
    words = build_command(CODEX, "reduced", {**VALUES, "repository": odd, "task_dir": odd})
    (projects,) = [word for word in words if word.startswith("projects=")]
    assert tomllib.loads(projects) == {"projects": {odd: {"trust_level": "trusted"}}}
    assert odd in words  # a word of its own is taken as it is
    permission = environment(OPENCODE, {**VALUES, "task_dir": odd})["OPENCODE_PERMISSION"]
    assert json.loads(permission) == {"external_directory": {f"{odd}/*": "allow"}}


def test_another_place_for_the_program_changes_every_command_line() -> None:
    moved = replace(CLAUDE, binary="/opt/claude")
    assert {build_command(moved, mode, VALUES)[0] for mode in ("full", "reduced", "resume", "one_shot")} == {
        "/opt/claude"
    }
    assert build_command(CLAUDE, "full", {**VALUES, "binary": "/found/claude"})[0] == "/found/claude"


@pytest.mark.parametrize("harness", [CLAUDE, CODEX, OPENCODE, PI, DEMO], ids=lambda harness: harness.name)
def test_without_a_known_conversation_a_new_one_begins_with_the_same_permissions(harness: Harness) -> None:
    assert resume_mode(harness, "resume", NEW) == "reduced"
    assert build_command(harness, "resume", NEW) == build_command(harness, "reduced", NEW)


def test_an_agent_without_a_reduced_command_line_has_only_one() -> None:
    plain = Harness(name="x", binary="x", title="X", install="…", full=("x", "{prompt}"))
    assert build_command(plain, "reduced", {}) == ("x", "{prompt}")
    with pytest.raises(Refused, match="X cannot do that: it has no command line for `one_shot`"):
        build_command(plain, "one_shot", {})


def test_a_missing_value_is_a_refusal_not_a_word_in_braces() -> None:
    with pytest.raises(Refused, match=r"there is no value for \{worktree_git\}"):
        build_command(CODEX, "reduced", {**VALUES, "worktree_git": ""})


@pytest.mark.parametrize("model", ["", "--dangerous", "a b", "{prompt}", "x\ny", "x" * 300, "a;b", '"'])
def test_a_model_is_a_plain_word(model: str) -> None:
    if not model:
        assert build_command(CLAUDE, "full", VALUES, model=model) == build_command(CLAUDE, "full", VALUES)
        return
    with pytest.raises(Refused, match="is not a model's name"):
        build_command(CLAUDE, "full", VALUES, model=model)


def test_an_unknown_effort_is_refused_with_the_levels_there_are() -> None:
    with pytest.raises(Refused, match=r"has no effort level 'huge'; its levels are low, medium, high, xhigh, max"):
        check_effort(CLAUDE, "huge")
    with pytest.raises(Refused, match="Codex has no effort level"):
        build_command(CODEX, "full", VALUES, effort='high" -c x="')
    assert check_effort(OPENCODE, "whatever") == "whatever"
    own = replace(CLAUDE, efforts=())
    assert check_effort(own, "turbo") == "turbo"
    with pytest.raises(Refused, match="write one plain word"):
        check_effort(own, "--turbo")


def test_opencode_may_edit_the_real_task_file_without_asking() -> None:
    found = environment(OPENCODE, VALUES)
    assert json.loads(found["OPENCODE_PERMISSION"]) == {
        "external_directory": {"/home/o/tasks/coffee/k3x9/*": "allow"},
    }


def test_claudes_hooks_report_and_never_fail() -> None:
    settings = json.loads(CLAUDE.files[".claude/settings.local.json"])
    assert settings["skipDangerousModePermissionPrompt"] is True
    assert set(settings["hooks"]) == {name.partition(":")[0] for name in CLAUDE.events}
    asks = settings["hooks"].pop("PermissionRequest")[0]["hooks"][0]
    assert asks["command"] == "{orange} task ask --agent claude - 2>/dev/null || :"
    assert asks["timeout"] >= 12 * 3600, "a question of the evening can be answered in the morning"
    for event, entries in settings["hooks"].items():
        command = entries[0]["hooks"][0]["command"]
        assert command == f"{{orange}} task event --agent claude --event {event} 2>/dev/null || :"
