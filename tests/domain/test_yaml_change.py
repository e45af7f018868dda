"""One value of a person's YAML file is changed, and not another byte of it; else the change is refused."""

from __future__ import annotations

import re

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from orange_tui.domain.errors import Refused, Unreadable
from orange_tui.domain.text import yaml_text
from orange_tui.domain.text.yaml_change import set_value

HAND_WRITTEN = """\
# My settings
bell: true   # rings at night

timezone: 'Europe/Berlin'
failover:      # who goes on
  - codex  # cheap
  # the last one
  - claude # dear

# Keys of my own
keys: {merge: M,   # left hand
       cancel: X}
note: |  # for me
  # not a comment
  two lines

empty:
last: 1
"""
KEYS = ("bell", "timezone", "failover", "keys", "note", "nested")
WRITTEN = (
    "true",
    "'it''s # text'",
    '"a \\" # b"',
    "plain text   # and a comment",
    "[a, b]  # flow",
    "[a, # inside{nl}   b]",
    "{nl}  - a # one{nl}  # between{nl}  - b",
    "{nl}- same{nl}- column",
    "{nl}  deep: 1{nl}  other: {{x: [1, 2]}} # o",
    "|  # block{nl}  # no comment{nl}  two",
    ">-{nl}  folded{nl}  text{nl}",
    "",
    "  # nothing",
    "0x1f",
    "2026-01-01",
    "wide 日本語 🍊  # 🍊",
)
VALUES = st.one_of(
    st.booleans(),
    st.integers(-(10**6), 10**6),
    st.sampled_from([0.5, 2.25]),
    st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=20),
    st.lists(st.sampled_from(["codex", "claude", "yes", "# no", "a: b"]), max_size=3),
    st.dictionaries(st.sampled_from(["merge", "off", "1"]), st.sampled_from(["M", "!", "f5"]), max_size=2),
)


@st.composite
def files(draw: st.DrawFn) -> str:
    """A file as a person may write it."""
    end = draw(st.sampled_from(["\n", "\r\n"]))
    indent = draw(st.sampled_from(["", "", "", "  "]))
    lines = [draw(st.sampled_from(["", "# first\n", "---\n", "\ufeff", "\ufeff# bom\n", "\n"])).replace("\n", end)]
    for key in draw(st.lists(st.sampled_from(KEYS), unique=True)):
        lines.append(draw(st.sampled_from(["", "", f"# about {key}{end}", end, f"{indent}# {key}{end}{end}"])))
        value = draw(st.sampled_from(WRITTEN)).format(nl=end + indent)
        name = draw(st.sampled_from([key, key, f'"{key}"']))
        lines.append(f"{indent}{name}:{'' if value.startswith(end) else ' '}{value}{end}")
    text = "".join(lines) + draw(st.sampled_from(["", "# the end", end, f"# the end{end}"]))
    return text.removesuffix(end) if draw(st.booleans()) else text


def read(text: str) -> dict[str, object]:
    node = yaml_text.compose(text)
    return {key: yaml_text.to_value(value) for key, _, value in yaml_text.mapping_entries(node)} if node else {}


def comments(text: str) -> list[str]:
    """Every comment of a file: what no token has."""
    body = text.removeprefix("\ufeff")
    rest = list(body)
    for token in yaml.scan(body, Loader=yaml.SafeLoader):
        first, last = token.start_mark.index, token.end_mark.index
        if getattr(token, "style", None) in {"|", ">"}:
            first += len(body[first:].splitlines()[0])
        rest[first:last] = "\n" * (last - first)
    return sorted(found.rstrip() for found in re.findall(r"#[^\r\n]*", "".join(rest)))


@given(files(), st.sampled_from([*KEYS, "added"]), VALUES)
def test_value_is_changed_and_every_other_key_comment_and_line_stays(text: str, key: str, value: object) -> None:
    try:
        before = read(text)
        changed = set_value(text, key, value)
    except (Refused, Unreadable):
        return  # then nothing is written
    assert read(changed) == before | {key: value}
    assert list(read(changed)) == list(before | {key: value})
    assert comments(changed) == comments(text)
    assert ("\r\n" in text) <= ("\n" not in changed.replace("\r\n", ""))
    if key not in before:
        assert changed.startswith(text)
    assert set_value(changed, key, value) == changed


@pytest.mark.parametrize(
    ("key", "value", "was", "then"),
    [
        ("bell", False, "bell: true   # rings", "bell: false   # rings"),
        ("timezone", "UTC", "timezone: 'Europe/Berlin'\n", 'timezone: "UTC"\n'),
        (
            "failover",
            ["pi"],
            "failover:      # who goes on\n  - codex  # cheap\n  # the last one\n  - claude # dear\n\n# Keys",
            '# who goes on\n# cheap\n# the last one\nfailover: ["pi"] # dear\n\n# Keys',
        ),
        ("keys", {}, "keys: {merge: M,   # left hand\n       cancel: X}\n", "# left hand\nkeys: {}\n"),
        ("note", "x", "note: |  # for me\n  # not a comment\n  two lines\n\n", "# for me\nnote: x\n\n"),
        ("empty", 3, "empty:\n", "empty: 3\n"),
        ("added", "off", "last: 1\n", 'last: 1\nadded: "off"\n'),
    ],
)
def test_a_files_own_style_stays_around_what_is_changed(key: str, value: object, was: str, then: str) -> None:
    assert set_value(HAND_WRITTEN, key, value) == HAND_WRITTEN.replace(was, then)


@pytest.mark.parametrize("text", ["{bell: true}\n", "bell: true\n...\n", "note: |+\n  x"])
def test_what_has_no_place_for_another_line_is_refused(text: str) -> None:
    with pytest.raises(Refused, match=r"`added` can't be changed there .* change it by hand"):
        set_value(text, "added", 1)
