"""Whatever paths and variables are called, the system runs the program that was meant; an edited file is known."""

from __future__ import annotations

import os
import plistlib
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orange_tui.domain.errors import Refused
from orange_tui.service.unit_file import ServiceSpec, is_unedited, launchd_list, systemd_unit

# Every character a path or a variable can have, bytes that are no text among them.
CHARACTERS = st.characters(min_codepoint=1, exclude_categories=["Cs"]) | st.integers(0xDC80, 0xDCFF).map(chr)
AWKWARD = st.sampled_from(list("%$\"'\\ \n\t#;={}@-!+:|~éx"))
TEXTS = st.lists(CHARACTERS | AWKWARD, max_size=30).map("".join)
PATHS = TEXTS.map(lambda text: f"/{text}")
NAMES = st.from_regex(r"[A-Z_][A-Z0-9_]{0,10}", fullmatch=True)
SPECS = st.builds(
    ServiceSpec,
    st.just("orange"),
    PATHS,
    st.lists(TEXTS, max_size=3).map(tuple),
    st.dictionaries(NAMES, TEXTS, max_size=3),
)


def read_words(value: str) -> list[str]:
    """The words of a line as systemd.syntax(7) tells: quotes, backslashes, and specifiers."""
    words: list[str] = []
    word: bytearray | None = None
    is_quoted = False
    at = 0
    data = value.replace("%%", "\0") if "%" in value else value
    while at < len(data):
        character = data[at]
        if character == "\\":
            if data[at + 1] == "x":
                word = (word or bytearray()) + bytes([int(data[at + 2 : at + 4], 16)])
                at += 4
                continue
            meant = {"n": "\n", "t": "\t", "r": "\r", "\\": "\\", '"': '"', "s": " "}[data[at + 1]]
            word = (word or bytearray()) + meant.encode()
            at += 2
            continue
        if character == '"':
            is_quoted = not is_quoted
            word = word if word is not None else bytearray()
        elif character in " \t" and not is_quoted:
            if word is not None:
                words.append(word.decode(errors="surrogateescape"))
            word = None
        else:
            assert is_quoted or character.isalnum() or character in "/._+-=", character
            assert character != "%"  # a specifier
            word = (word or bytearray()) + (b"%" if character == "\0" else character.encode())
        at += 1
    assert not is_quoted
    return words + ([word.decode(errors="surrogateescape")] if word is not None else [])


def values(text: str, key: str) -> list[str]:
    lines = text.split("\n")
    assert all(not line or line[0] in "[#" or re.match(r"[A-Za-z]+=", line) for line in lines)
    return [line.partition("=")[2] for line in lines if line.startswith(f"{key}=")]


@given(SPECS)
def test_systemd_runs_what_was_meant_with_the_environment_that_was_meant(spec: ServiceSpec) -> None:
    text = systemd_unit(spec)
    (command,) = values(text, "ExecStart")
    words = read_words(command)
    assert re.fullmatch(r"/[\w/.+-]+", command.split(" ")[0])  # what is run is written without quotes
    expanded = [words[0], *(word.replace("$$", "$") for word in words[1:])]
    assert all("$" not in word.replace("$$", "") for word in words)  # a variable
    if words[0] == "/bin/sh":
        assert expanded[1:3] == ["-c", 'exec "$0" "$@"']
        expanded = expanded[3:]
    assert list(map(os.fsencode, expanded)) == list(map(os.fsencode, (spec.program, *spec.words)))
    found = [read_words(value) for value in values(text, "Environment")]
    meant = [f"{name}={value}" for name, value in sorted(spec.environment.items())]
    assert [list(map(os.fsencode, words)) for words in found] == [[os.fsencode(each)] for each in meant]
    assert is_unedited(text)


@given(SPECS, st.data())
def test_unit_that_somebody_edited_is_known(spec: ServiceSpec, data: st.DataObject) -> None:
    text = systemd_unit(spec)
    at = data.draw(st.integers(0, len(text) - 1))
    edited = data.draw(st.sampled_from([text[:at] + "x" + text[at:], text[:at] + text[at + 1 :], text + "\n# mine\n"]))
    assert edited == text or not is_unedited(edited)


@pytest.mark.parametrize("text", ["", "[Unit]\n", "# written by `orange service install`; sha256 \n", "x" * 100])
def test_what_is_not_ours_is_known(text: str) -> None:
    assert not is_unedited(text)


PLAIN = st.text(st.characters(min_codepoint=32, exclude_categories=["Cs", "Cc", "Cn"]), max_size=30)


@given(st.builds(ServiceSpec, st.just("orange"), PLAIN, st.just(("serve",)), st.dictionaries(NAMES, PLAIN, max_size=3)))
def test_launchd_reads_back_what_was_meant(spec: ServiceSpec) -> None:
    text = launchd_list(spec)
    found = plistlib.loads(text.encode())
    assert found["ProgramArguments"] == [spec.program, "serve"]
    assert found["EnvironmentVariables"] == spec.environment
    assert (found["Label"], found["RunAtLoad"], found["AbandonProcessGroup"]) == ("orange", True, True)
    assert found["KeepAlive"] == {"SuccessfulExit": False}
    assert is_unedited(text)
    assert not is_unedited(text.replace("<true/>", "<false/>", 1))


@pytest.mark.parametrize("home", ["/home/a\x07b", "/home/\udcff"])
def test_path_that_launchd_cannot_be_told_is_refused_with_a_sentence(home: str) -> None:
    with pytest.raises(Refused, match="launchd cannot be told"):
        launchd_list(ServiceSpec("orange", "/bin/orange", ("serve",), {"ORANGE_HOME": home}))
