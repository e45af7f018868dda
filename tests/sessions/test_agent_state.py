"""What an agent is doing, told from screens that were seen and from reports that were sent."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orange_tui.domain.harnesses.shipped import CLAUDE, CODEX, DEMO, OPENCODE, PI, SHIPPED
from orange_tui.domain.task import printable
from orange_tui.home import clock
from orange_tui.sessions.agent_state import AgentStatus, judge, look, request_of, state_from_event

TYPE_CHECKING = False
if TYPE_CHECKING:
    from orange_tui.domain.harnesses.harness import Harness
    from orange_tui.sessions.agent_state import State

SCREENS = Path(__file__).parent / "screens"  # recorded from the real agents; the first lines say what they show
CLAUDE_BOX = "────\n❯ \n────\n  ⏵⏵ accept edits on (shift+tab to cycle)"
CLAUDE_BYPASS = """\
  WARNING: Claude Code running in Bypass Permissions mode
  ❯ No, exit
    Yes, I accept
  Enter to confirm · Esc to cancel"""
CODEX_BOX = "› Ask Codex to do anything\n  gpt-5 default · /src/coffee"
OPENCODE_BOX = "┃  Ask anything…\n  tab agents  ctrl+p commands\n /src/coffee:main   1.18.33"
PI_BOX = "──────────\n──────────\n/src/coffee (main)\n0.0%/200k (auto)        gpt-5"


def recorded(name: str) -> tuple[dict[str, str], str]:
    """A screen that an agent has shown, and what is to be seen on it."""
    head, _, screen = (SCREENS / f"{name}.txt").read_text().partition("\n---\n")
    pairs = (line.partition(":") for line in head.splitlines())
    return {name: value.strip() for name, _, value in pairs}, screen


@pytest.mark.parametrize("name", sorted(path.stem for path in SCREENS.glob("*.txt")))
def test_what_real_agents_show_is_understood(name: str) -> None:
    expected, screen = recorded(name)
    status = look(SHIPPED[name.partition("-")[0]], expected["title"], screen)
    assert (status.state, status.asks or "") == (expected["state"], expected["asks"])


@pytest.mark.parametrize(
    ("harness", "title", "screen", "state"),
    [
        (CLAUDE, "✳ Fix login", CLAUDE_BOX, "idle"),
        (CLAUDE, "✳ Fix login", f"✻ Thinking…\n{CLAUDE_BOX} · esc to interrupt", "busy"),
        (CLAUDE, "✳ Fix login", f"✻ Thinking…\n────\n❯ a draft\n────\n{CLAUDE_BOX[-20:]}", "busy"),
        (CLAUDE, "vm", CLAUDE_BYPASS, "permission"),
        (CLAUDE, "✳", f"❯ 1. Brew\n  2. Pour\n● Done.\n{CLAUDE_BOX}", "idle"),  # a list that the person wrote
        (CLAUDE, "✳", f"● Do you want tea?\n{CLAUDE_BOX}\n  ⚠ Usage limit reached · Esc to cancel", "limit"),
        (CLAUDE, "✳", f"  ⎿  You've hit your limit\n❯ go on\n✻ Brewing…\n{CLAUDE_BOX}", "busy"),
        (CLAUDE, "✳", f"  ⎿  You've hit your limit · resets 2am\n✻ Churned for 1s\n{CLAUDE_BOX}", "limit"),
        (CLAUDE, "✳", f"● It says: You've hit your usage limit\n{CLAUDE_BOX}", "idle"),  # what it writes about
        (CLAUDE, "✳", f"  ⎿  You've hit your limit\n● So says the file.\n{CLAUDE_BOX}", "idle"),
        (CLAUDE, "✳", f"● The menu has: Stop and wait for limit to reset\n{CLAUDE_BOX}", "idle"),
        (OPENCODE, "OpenCode", f"  It says: usage limit reached\n{OPENCODE_BOX}", "idle"),
        (OPENCODE, "OpenCode", f"  ┃ so it is      Free limit reached\n{OPENCODE_BOX}", "limit"),
        (CLAUDE, "✳", f"● API Error: 500\n❯ go on\n✻ Brewing…\n{CLAUDE_BOX}", "busy"),
        (CLAUDE, "", "", "starting"),
        (CLAUDE, "vm", "$ ", "unknown"),
        (CLAUDE, "✳", f"● The page says: Select login method\n{CLAUDE_BOX}", "idle"),  # no dialog of its own
        (CLAUDE, "✳", f"● Choose the text style\n✻ Brewing…\n{CLAUDE_BOX} · esc to interrupt", "busy"),
        (CODEX, "coffee", f"• I added a button: Sign in with ChatGPT\n{CODEX_BOX}", "idle"),
        (CODEX, "coffee", CODEX_BOX, "idle"),
        (CODEX, "⠙ coffee", CODEX_BOX, "busy"),
        (CODEX, "[ ! ] Action Required", CODEX_BOX, "permission"),
        (CODEX, "[ . ] Action Required", CODEX_BOX, "permission"),
        (CODEX, "coffee", f"Would you like to run the tests next?\n{CODEX_BOX}", "idle"),  # the agent's own words
        (CODEX, "coffee", f"› 1. Brew\n  2. Pour\n• Done.\n{CODEX_BOX}", "idle"),  # a list that the person wrote
        (CODEX, "coffee", f"■ You’ve hit your usage limit.\n› go on\n• Hello.\n{CODEX_BOX}", "idle"),
        (CODEX, "coffee", "  Approaching rate limits\n  Switch to x?\n› 1. Yes\n  2. No\n  esc back", "permission"),
        (OPENCODE, "OpenCode", OPENCODE_BOX, "idle"),
        (OPENCODE, "OpenCode", f"esc interrupt\n{OPENCODE_BOX}", "busy"),
        (OPENCODE, "OpenCode", f"esc again to interrupt\n{OPENCODE_BOX}", "busy"),
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
    assert look(harness, title, screen).state == state


def test_an_error_that_scrolled_up_is_history_but_a_question_never_is() -> None:
    later = "".join(f"line {number}\n" for number in range(30))
    assert look(PI, "", f"Error: No API key found\n{later}{PI_BOX}").state == "idle"
    assert look(OPENCODE, "", f"△ Permission required\n{later}").state == "permission"


HOSTILE = {
    "commands and rules": [("Bash command ", 20), ("╌╌╌╌x", 1), ("╌", 17)],
    "commands": [("Bash command\n", 5), ("╌", 14)],
    "questions": [("Do you want ", 20), (" ", 20)],
    "codex": [("Would you like to run the following command?", 20), ("   $ ", 20)],
    "opencode": [("△ Permission required", 20), ("┃ ", 20)],
    "pi": [(" Error: hit your ChatGPT usage limit", 40)],
    "menus": [("☐", 20), ("❯ 1. ", 20)],
}


@pytest.mark.parametrize("harness", SHIPPED.values(), ids=SHIPPED)
@pytest.mark.parametrize("name", HOSTILE)
def test_no_screen_takes_long_to_judge(harness: Harness, name: str) -> None:
    lines = [f"{(words * 5000)[:5000]}x" for words, count in HOSTILE[name] for _ in range(count)]
    began = time.process_time()
    look(harness, "⠋" * 1000, "\n".join([*lines, "Do you want to proceed?", " Esc to cancel"]))
    assert time.process_time() - began < 2, "it took the square of its size, or more"


@pytest.mark.parametrize(("name", "program"), [("claude-trust", "claude"), ("codex-trust", "codex")])
def test_a_first_run_dialog_is_known_and_comes_with_advice(name: str, program: str) -> None:
    expected, screen = recorded(name)
    advice = look(SHIPPED[program], expected["title"], screen).advice
    assert advice is not None
    assert f"run `{program}` once in the main repository" in advice


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
        (CLAUDE, {"hook_event_name": "StopFailure", "error": "server_error"}, "error"),
        (CLAUDE, {"hook_event_name": "StopFailure", "error": "rate_limit"}, "limit"),
        (CLAUDE, {"hook_event_name": "StopFailure", "error": ["rate_limit"]}, "error"),
        (PI, {"type": "session_start", "source": "startup"}, "idle"),
        (PI, {"type": "before_agent_start", "prompt": "x"}, "busy"),
        (PI, {"type": "agent_end"}, "idle"),
        (PI, {"type": "agent_end", "error": "error"}, "error"),
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
    ("report", "asks"),
    [
        ({"tool_name": "Bash", "tool_input": {"command": "rm -rf build", "description": "x"}}, "rm -rf build"),
        ({"tool_name": "Write", "tool_input": {"file_path": "x.py", "content": "1"}}, "Write: x.py"),
        ({"tool_name": "Ask", "tool_input": {"questions": [{"question": "Red?", "header": "h"}]}}, "Ask: Red?"),
        ({"tool_name": "Bash", "tool_input": {"command": "echo \x1b[31m\n\n" + "x" * 9999}}, None),
        ({"tool_name": "Bash", "tool_input": {"command": 7}}, "Bash"),
        ({"tool_name": "Bash", "tool_input": []}, "Bash"),
        ({"tool_name": ["Bash"], "tool_input": {"command": "x"}}, None),
        ({}, None),
    ],
)
def test_what_a_report_asks_for_is_one_short_line(report: dict[str, object], asks: str | None) -> None:
    found = request_of(report)
    assert found == asks or (asks is None and found is not None and found.isprintable() and len(found) < 350)


def at(second: float) -> str:
    return clock.at(int(second * 1e9))


SECOND = 1_700_000_000.0


@pytest.mark.parametrize(
    ("reported", "seen", "later", "state"),
    [
        ("permission", "idle", 1, "permission"),  # the dialog is not drawn yet
        ("permission", "idle", 3, "idle"),  # somebody has pressed Esc in it, of which nothing is reported
        ("permission", "busy", 3, "busy"),  # it was answered
        ("permission", "unknown", 9, "permission"),
        ("permission", "starting", 9, "permission"),
        ("busy", "permission", 0, "permission"),
        ("busy", "permission", -1, "busy"),  # it was answered since
        ("busy", "idle", 3, "idle"),  # interrupted by a person: no report
        ("busy", "idle", -3, "busy"),
        ("idle", "busy", -1, "idle"),
        ("idle", "unknown", 9, "idle"),
        ("busy", "starting", 9, "busy"),
        ("error", "busy", 3, "busy"),
        ("error", "idle", 3, "error"),  # what ended its turn still stands
        ("limit", "idle", 3, "limit"),
        ("limit", "error", 3, "limit"),  # the words of Claude Code's last try, which it reports as a limit
        ("busy", "limit", 3, "limit"),
        (None, "idle", 0, "idle"),
        (None, "unknown", 0, "unknown"),
        (None, None, 0, "unknown"),
        ("busy", None, 0, "busy"),
        ("nonsense", "idle", 0, "idle"),
        ("unknown", "busy", 0, "busy"),
    ],
)
def test_state_combines_what_is_reported_and_what_is_seen(
    reported: str | None, seen: str | None, later: float, state: State
) -> None:
    values = {"state": reported, "event_at": at(SECOND), "seen": seen, "seen_at": at(SECOND + later)}
    assert judge(values).state == state


def test_a_question_that_is_seen_now_counts_whatever_was_written_down() -> None:
    sight = AgentStatus("permission", "rm -rf build")
    for event_at in (clock.now(), "9999-12-31T23:59:59Z", "", None, 7, "x" * 99):
        assert judge({"state": "idle", "event_at": event_at, "seen": "idle", "seen_at": event_at}, sight) == sight


def test_what_the_agent_itself_says_of_its_question_is_kept() -> None:
    values = {"state": "permission", "event_at": at(SECOND), "asks": "rm -rf \x1bbuild"}
    assert judge(values) == AgentStatus("permission", "rm -rf \\x1bbuild")
    assert judge(values, AgentStatus("permission")).asks == "rm -rf \\x1bbuild"
    assert judge(values, AgentStatus("idle")) == AgentStatus("idle")
    assert judge({**values, "state": "busy"}) == AgentStatus("busy")


def test_nothing_is_typed_into_a_question_not_even_into_that_of_a_limit() -> None:
    assert not AgentStatus("permission").takes_input
    assert not AgentStatus("starting").takes_input
    assert not AgentStatus("limit", "Upgrade?").takes_input
    assert AgentStatus("limit").takes_input
    assert AgentStatus("unknown").takes_input


JUNK = st.one_of(st.none(), st.floats(), st.integers(), st.text(max_size=9), st.lists(st.text(max_size=3), max_size=2))
WORDS = st.sampled_from(["permission", "idle", "busy", at(SECOND), "9999-12-31T23:59:59+23:59"])


@given(st.dictionaries(st.sampled_from(["state", "event_at", "seen", "seen_at", "asks", "advice"]), JUNK | WORDS))
def test_whatever_an_agent_writes_into_its_runtime_file_a_state_comes_of_it(values: dict[str, object]) -> None:
    status = judge(values)
    assert status.state in {"permission", "limit", "error", "busy", "starting", "idle", "unknown"}
    assert status.asks is None or status.asks == printable(status.asks)
