"""A gate opens for what it asks for and for nothing else, and when shut it shows what would open it."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from orange_tui.domain.gates.kinds import CommandGate
from orange_tui.domain.gates.section import SectionGate
from orange_tui.domain.text.sections import close_open_blocks
from support.evidence import Written

PLAN = SectionGate(section="## Plan")
HANDOFF = SectionGate(section="## Handoff", fields=("DONE", "REMAINING"))
PASS_FIRST = SectionGate(section="## Review", verdict="PASS", verdict_line="first")
FAIL_FIRST = SectionGate(section="## Review", verdict="FAIL", verdict_line="first")
PASS_ANY = SectionGate(section="## Review", verdict="PASS")
FAIL_ANY = SectionGate(section="## Review", verdict="FAIL")
BOTH = SectionGate(section="## Review", fields=("FAIL", "RISK"), verdict="PASS", verdict_line="first")
GATES = {
    "content": PLAN,
    "fields": HANDOFF,
    "a first verdict": PASS_FIRST,
    "a verdict": PASS_ANY,
    "a verdict against it": FAIL_ANY,
    "a verdict and a field": BOTH,
    "a name with marks": SectionGate(section="##  Open questions (C#) ##"),
}


def refusal(gate: SectionGate, body: str) -> str:
    said = gate.missing(Written(body))
    assert said is not None
    return said


def is_open(gate: SectionGate, body: str) -> bool:
    return gate.missing(Written(body)) is None


def example_in(said: str) -> str:
    """The indented lines after `For example:`, as somebody would copy them."""
    _, _, lines = said.partition("For example:\n")
    assert lines
    assert all(line.startswith("  ") for line in lines.splitlines())
    return "".join(f"{line[2:]}\n" for line in lines.splitlines())


@pytest.mark.parametrize(
    "content",
    [
        "do it",
        "\n\n  do it\n",
        "- [ ] one",
        "```\ncode alone\n```",
        "    indented code",
        "### A part\n",
        "<!-- a --> and a word",
        "a word <!-- b\n-->",
        "<!-- a -->\n<!-- b -->\n.",
        "> quoted",
        "0",
    ],
)
def test_any_text_besides_comments_opens_the_content_gate(content: str) -> None:
    assert is_open(PLAN, f"## Plan\n{content}\n\n## Next\n")


@pytest.mark.parametrize(
    "content",
    [
        "",
        "\n\n",
        "  \t\n\u00a0\n",
        "<!-- what you will do -->",
        "\n<!--\nover\n\nlines\n-->\n\n<!-- and again -->\n",
        "<!-- left open",
    ],
)
def test_blanks_and_comments_do_not_open_the_content_gate(content: str) -> None:
    assert refusal(PLAN, f"## Plan\n{content}\n").startswith("## Plan is empty. For example:\n  ## Plan\n")


def test_the_content_of_the_next_section_does_not_count() -> None:
    assert not is_open(PLAN, "## Plan\n\n## Notes\nmuch\n")
    assert not is_open(PLAN, "## Plan\nold\n## Plan\n")


def test_refusal_names_the_missing_section() -> None:
    said = refusal(PLAN, "## Notes\nmuch\n")
    assert said.startswith("TASK.md has no section ## Plan. For example:")


@pytest.mark.parametrize(
    ("body", "line"),
    [
        ("```\nleft open\n## Plan\ndo it\n", 3),
        ("a\r\n\r\n<!--\r\n## plan ##\r\n", 4),
        ("> ## Plan\n", 1),
        ("text\n- ## Plan\n", 2),
        ("##Plan\ndo it\n", 1),
        ("### Plan\ndo it\n", 1),
        ("\u2028\x0b\n\t## Plan\n", 2),
    ],
)
def test_refusal_points_out_a_heading_that_markdown_does_not_see(body: str, line: int) -> None:
    said = refusal(PLAN, body)
    assert said.startswith(f"TASK.md has no section ## Plan (line {line} of its body looks like one, but")
    assert "never be closed" in said


@pytest.mark.parametrize(
    "content",
    [
        "DONE: the loop",
        "REMAINING:x",
        "intro\n\nDONE:\t\tit\nmore",
        "DONE:\nREMAINING: b",
        "```\nx\n```\nDONE: a",
        "### s\nDONE: b",
    ],
)
def test_one_field_with_a_text_is_enough(content: str) -> None:
    assert is_open(HANDOFF, f"## Handoff\n{content}\n")
    assert is_open(HANDOFF, f"## Handoff\r\n{content}\n".replace("\n", "\r\n"))


@pytest.mark.parametrize(
    "content",
    [
        "",
        "all done",
        "DONE:",
        "DONE:   \t",
        "DONE:\nthe loop",
        "DONE:\u00a0",
        "done: the loop",
        "Done: the loop",
        "UNDONE: the loop",
        "DONE the loop",
        "DONE : the loop",
        "it is DONE: really",
        "OTHER: text",
        "```\nDONE: in code\n```",
        "~~~\nDONE: in a fence left open",
        "    DONE: in indented code",
        "\tDONE: in indented code",
        "<!--\nDONE: in a comment\n-->",
        "> DONE: quoted",
        "- a\n  ```\n  DONE: nested\n  ```",
    ],
)
def test_a_field_without_text_in_other_letters_or_in_code_does_not_count(content: str) -> None:
    said = refusal(HANDOFF, f"## Handoff\n{content}\n")
    assert said.startswith("## Handoff needs a line that starts with DONE: or REMAINING: and has text after it. ")


@pytest.mark.parametrize(
    "line",
    [
        "Verdict: PASS",
        "verdict: pass",
        "VERDICT:PASS",
        "Verdict:  \tPass  ",
        "**Verdict: PASS**",
        "**Verdict:** PASS",
        "**Verdict**: *PASS*",
        "__Verdict:__ _pass_",
        "***Verdict: PASS***",
        "   Verdict: PASS",
    ],
)
def test_a_first_verdict_is_read_in_any_case_and_with_any_emphasis(line: str) -> None:
    for body in (
        f"## Review\n{line}\n",
        f"## Review\n\n \n{line}\nIt could FAIL.\n",
        f"## Review\r\n{line}\r\nmore\r\n",
    ):
        assert is_open(PASS_FIRST, body)
        assert refusal(FAIL_FIRST, body).startswith("## Review says PASS, but this move needs FAIL. ")
        assert is_open(FAIL_FIRST, body.replace("PASS", "FAIL").replace("pass", "fail").replace("Pass", "Fail"))


@pytest.mark.parametrize(
    "content",
    [
        "",
        "PASS",
        "Verdict: PASS.",
        "Verdict: PASS, mostly",
        "Verdict: PASS or FAIL",
        "Verdict: PASSED",
        "Verdict:",
        "Verdict PASS",
        "My verdict: PASS",
        "I looked.\nVerdict: PASS",
        "Verdict:\nPASS",
        "### Verdict: PASS",
        "`Verdict: PASS`",
        "- Verdict: PASS",
        "> Verdict: PASS",
        "    Verdict: PASS",
        "```\nVerdict: PASS\n```",
        "<!-- Verdict: PASS -->",
        "Verdict: PA\u017f\u017f",
    ],
)
def test_a_first_line_with_anything_more_or_less_is_no_verdict(content: str) -> None:
    said = refusal(PASS_FIRST, f"## Review\n{content}\n")
    assert said.startswith("## Review has no verdict: its first line must be the verdict and nothing else. For ")


@pytest.mark.parametrize(
    ("content", "verdict"),
    [
        ("PASS", "PASS"),
        ("I say: fail.", "FAIL"),
        ("Looks good\n\n**Pass**, because FAIL is too hard", "PASS"),
        ("It FAILed, it PASSED, bypass and failure do not count; FAIL does", "FAIL"),
        ("- verdict: FAIL\n- then PASS", "FAIL"),
        ("```\nFAIL\n```\nPASS", "FAIL"),
    ],
)
def test_the_first_pass_or_fail_in_the_section_is_the_verdict(content: str, verdict: str) -> None:
    body = f"## Plan\nPASS FAIL\n## Review\n{content}\n## Notes\nPASS FAIL\n"
    assert (is_open(PASS_ANY, body), is_open(FAIL_ANY, body)) == (verdict == "PASS", verdict == "FAIL")
    other = PASS_ANY if verdict == "FAIL" else FAIL_ANY
    assert refusal(other, body).startswith(f"## Review says {verdict}, but this move needs {other.verdict}. ")


@pytest.mark.parametrize("content", ["", "fine", "PASSED", "FAIL_1", "compass", "P A S S"])
def test_section_without_pass_or_fail_has_no_verdict(content: str) -> None:
    assert refusal(PASS_ANY, f"## Review\n{content}\n").startswith("## Review has no verdict. For example:")


def test_a_gate_on_a_verdict_and_a_field_wants_both() -> None:
    assert is_open(BOTH, "## Review\nVerdict: PASS\nRISK: low\n")
    assert "FAIL: or RISK:" in refusal(BOTH, "## Review\nVerdict: PASS\n")
    assert "has no verdict" in refusal(BOTH, "## Review\nRISK: low\nVerdict: PASS\n")


@pytest.mark.parametrize("name", GATES)
@settings(max_examples=25, deadline=None, database=None)
@given(
    pieces=st.lists(
        st.sampled_from(
            [
                *(
                    "## Plan\n",
                    "## Review\n",
                    "## Handoff\n",
                    "## Open questions (C#)\n",
                    "# B\n",
                    "text\n",
                    "\n",
                    "```\n",
                ),
                *(
                    "Verdict: FAIL\n",
                    "Verdict: PASS\n",
                    "DONE:\n",
                    "DONE: a\n",
                    "<!--\n",
                    "-->\n",
                    "- a\n",
                    "> b\n",
                    "\r\n",
                ),
            ]
        ),
        max_size=7,
    )
)
def test_example_in_a_refusal_opens_the_gate(name: str, pieces: list[str]) -> None:
    body = "".join(pieces)
    said = GATES[name].missing(Written(body))
    if said is not None:
        example = example_in(said)
        assert len(example.splitlines()) == (3 if name == "a verdict and a field" else 2)
        assert is_open(GATES[name], f"{close_open_blocks(body)}\n\n{example}")


def test_every_section_gate_is_shut_before_anything_is_written() -> None:
    assert not any(is_open(gate, "") for gate in GATES.values())


def test_command_gate_is_open_when_its_command_succeeds_and_tells_why_it_does_not() -> None:
    gate = CommandGate("make test")
    assert gate.missing(Written(succeeding=("make test",))) is None
    assert gate.missing(Written()) == "`make test` fails"
