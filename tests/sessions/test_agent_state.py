"""What an agent is doing, told from screens that were seen and from reports that were sent."""

from __future__ import annotations

import pytest

from orange_tui.domain.harnesses.shipped import CLAUDE, CODEX, DEMO, OPENCODE, PI
from orange_tui.sessions.agent_state import agent_state, dialog_on_screen, state_from_event, state_from_screen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from orange_tui.domain.harnesses.harness import Harness
    from orange_tui.sessions.agent_state import State

CLAUDE_BOX = "────\n> \n────\n  ⏵⏵ accept edits on (shift+tab to cycle)"
CLAUDE_TRUST = """\
 Quick safety check: Is this a project you created or one you trust? (Like your own code)
 > No, exit
   Yes, I trust this folder
 Enter to confirm · Esc to cancel"""
CLAUDE_BYPASS = """\
  WARNING: Claude Code running in Bypass Permissions mode
  > No, exit
    Yes, I accept
  Enter to confirm · Esc to cancel"""
CLAUDE_ASKS = """\
 Bash command
   rm -rf build
 Do you want to proceed?
 > 1. Yes
   2. No
 Esc to cancel · Tab to amend"""
CODEX_BOX = "> Ask Codex to do anything\n  gpt-5 default · /src/coffee"
CODEX_TRUST = "  Trust this folder? Codex can read, edit, and run files here\n> 1. Trust and continue\n  2. Quit"
OPENCODE_BOX = "┃  Ask anything…\n  tab agents  ctrl+p commands\n /src/coffee:main   1.18.33"
PI_BOX = "────\n────\n/src/coffee (main)\n0.0%/200k (auto)        gpt-5"


@pytest.mark.parametrize(
    ("harness", "title", "screen", "state"),
    [
        (CLAUDE, "✳ Claude Code", f"✻ Brewed for 4s\n{CLAUDE_BOX}", "idle"),
        (CLAUDE, "✳ Fix login", CLAUDE_BOX, "idle"),
        (CLAUDE, "✳ Fix login", f"✻ Thinking…\n{CLAUDE_BOX} · esc to interrupt", "busy"),
        (CLAUDE, "◐ Fix login", f"✻ Thinking…\n{CLAUDE_BOX}", "busy"),  # a draft in the box hides the words
        (CLAUDE, "✳ Fix login", CLAUDE_ASKS, "permission"),  # the title says idle all the same
        (CLAUDE, "vm", CLAUDE_TRUST, "permission"),
        (CLAUDE, "vm", CLAUDE_BYPASS, "permission"),
        (
            CLAUDE,
            "✳ Claude Code",
            f"✻ Connection refused (ECONNREFUSED) · Retrying in 4s · attempt 4/10\n{CLAUDE_BOX} · esc to interrupt",
            "error",
        ),
        (CLAUDE, "", "", "starting"),
        (CLAUDE, "vm", "$ ", "unknown"),
        (CODEX, "coffee", CODEX_BOX, "idle"),
        (CODEX, "⠙ coffee", f"◦ Working (7s • esc to interrupt)\n{CODEX_BOX}", "busy"),
        (CODEX, "⠙ coffee", CODEX_BOX, "busy"),
        (CODEX, "coffee", "Would you like to run the following command?\n> 1. Yes, proceed", "permission"),
        (CODEX, "[ ! ] Action Required", CODEX_BOX, "permission"),
        (CODEX, "[ . ] Action Required", CODEX_BOX, "permission"),
        (CODEX, "vm", CODEX_TRUST, "permission"),
        (CODEX, "coffee", f"Would you like to run the tests next?\n{CODEX_BOX}", "idle"),  # the agent's own words
        (CODEX, "⠙ coffee", f"◦ Reconnecting... waiting (9s • esc to interrupt)\n{CODEX_BOX}", "error"),
        (OPENCODE, "OpenCode", OPENCODE_BOX, "idle"),
        (OPENCODE, "OpenCode", f"esc interrupt\n{OPENCODE_BOX}", "busy"),
        (OPENCODE, "OpenCode", f"△ Permission required\n  # rm -rf build\n{OPENCODE_BOX}", "permission"),
        (OPENCODE, "OpenCode", f"Cannot connect to API\n{OPENCODE_BOX}", "error"),
        (OPENCODE, "", "  \n \n", "starting"),
        (PI, "π - coffee", PI_BOX, "idle"),
        (PI, "π - coffee", f"⠋ Working...\n{PI_BOX}", "busy"),
        (PI, "π - coffee", f" Error: No API key found for the selected model.\n{PI_BOX}", "error"),
        (DEMO, "demo · busy", "> ", "busy"),
        (DEMO, "demo · idle", "> ", "idle"),
        (DEMO, "demo · asks", "> ", "idle"),
    ],
)
def test_state_is_read_from_the_screen(harness: Harness, title: str, screen: str, state: State) -> None:
    assert state_from_screen(harness, title, screen.splitlines()) == state


def test_an_error_that_scrolled_up_is_history_but_a_question_never_is() -> None:
    later = [f"line {number}" for number in range(30)]
    assert state_from_screen(PI, "", ["Error: No API key found", *later, *PI_BOX.splitlines()]) == "idle"
    assert state_from_screen(OPENCODE, "", ["△ Permission required", *later]) == "permission"


def test_a_first_run_dialog_is_known_and_comes_with_advice() -> None:
    trust = dialog_on_screen(CLAUDE, CLAUDE_TRUST.splitlines())
    assert trust is not None
    assert "run `claude` once in the main repository" in trust.advice
    found = dialog_on_screen(CODEX, CODEX_TRUST.splitlines())
    assert found is not None
    assert "trust" in found.advice
    assert dialog_on_screen(CLAUDE, CLAUDE_BOX.splitlines()) is None


@pytest.mark.parametrize(
    ("harness", "event", "state"),
    [
        (CLAUDE, {"hook_event_name": "SessionStart", "source": "startup"}, "idle"),
        (CLAUDE, {"hook_event_name": "UserPromptSubmit", "prompt": "x"}, "busy"),
        (CLAUDE, {"hook_event_name": "PermissionRequest"}, "permission"),
        (CLAUDE, {"hook_event_name": "Notification", "notification_type": "permission_prompt"}, "permission"),
        (CLAUDE, {"hook_event_name": "Notification", "notification_type": "idle_prompt"}, "idle"),
        (CLAUDE, {"hook_event_name": "Notification", "notification_type": "auth_success"}, None),
        (CLAUDE, {"hook_event_name": "Stop"}, "idle"),
        (CLAUDE, {"hook_event_name": "StopFailure"}, "error"),
        (CLAUDE, {"hook_event_name": "SessionEnd"}, "unknown"),
        (CLAUDE, {"hook_event_name": "PreCompact"}, None),
        (CLAUDE, {"hook_event_name": ["Stop"]}, None),
        (CLAUDE, {}, None),
        (CODEX, {"type": "agent-turn-complete", "thread-id": "t"}, "idle"),
        (CODEX, {"type": "something-else"}, None),
        (
            CODEX,
            {
                "type": "agent-turn-complete",
                "input-messages": ["Generate a concise, single-line task title of at most 40 characters …"],
            },
            None,
        ),
        (CODEX, {"type": "agent-turn-complete", "input-messages": [7]}, "idle"),
        (OPENCODE, {"hook_event_name": "busy"}, "busy"),
        (PI, {"type": "permission"}, "permission"),
    ],
)
def test_state_is_read_from_the_agents_reports(harness: Harness, event: dict[str, object], state: State | None) -> None:
    assert state_from_event(harness, event) == state


def test_what_another_conversation_reports_is_not_this_windows_state() -> None:
    turn = {"type": "agent-turn-complete", "thread-id": "mine"}
    assert state_from_event(CODEX, turn, "mine") == "idle"
    assert state_from_event(CODEX, turn, "other") is None
    assert state_from_event(CLAUDE, {"hook_event_name": "Stop", "session_id": "x"}, "y") is None


@pytest.mark.parametrize(
    ("reported", "seen", "state"),
    [
        ("permission", "idle", "permission"),  # a dialog whose words we do not know, under a title that says idle
        ("permission", "unknown", "permission"),
        ("permission", "busy", "busy"),  # it was answered
        ("busy", "permission", "permission"),
        ("busy", "idle", "idle"),  # interrupted by a person: no report
        ("idle", "unknown", "idle"),
        ("busy", "starting", "busy"),
        ("error", "busy", "busy"),
        (None, "idle", "idle"),
        (None, "unknown", "unknown"),
        ("nonsense", "unknown", "unknown"),
    ],
)
def test_state_combines_what_is_reported_and_what_is_seen(reported: str | None, seen: State, state: State) -> None:
    assert agent_state(reported, seen) == state
