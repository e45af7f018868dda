"""What people and agents type, and what Orange understands by it."""

from __future__ import annotations

import importlib
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orange_tui.cli.all_commands import COMMANDS
from orange_tui.cli.parsing.grammar import Argument, CommandSpec, HelpRequest, Option, Parsed
from orange_tui.cli.parsing.parser import parse, wants_json
from orange_tui.domain.errors import UsageError

words = st.text(st.characters(), max_size=12) | st.text(st.sampled_from("-=hn5 a\udc80\n"), max_size=5)
known_words = st.sampled_from(
    sorted({w for c in COMMANDS for w in (*c.path, *(n for o in c.every_option for n in o.names), "--", "-")}),
)


def read(*argv: str) -> Parsed:
    parsed = parse(argv, COMMANDS)
    assert isinstance(parsed, Parsed)
    return parsed


def refusal(*argv: str) -> str:
    with pytest.raises(UsageError) as caught:
        parse(argv, COMMANDS)
    assert caught.value.exit_code == 2
    return str(caught.value)


def test_agents_update_command_is_parsed() -> None:
    parsed = read("task", "update", "--status", "agent-review")
    assert parsed.command.path == ("task", "update")
    assert parsed.text("status") == "agent-review"
    assert parsed.text("id") is None
    assert not parsed.json


def test_orange_alone_opens_the_app() -> None:
    assert read().command.path == ()
    assert read("--all").flag("all")
    assert read("--project", "coffee").text("project") == "coffee"


@pytest.mark.parametrize(
    "argv",
    [
        ["k3x9", "--status", "working", "--json"],
        ["--json", "--status=working", "k3x9"],
        ["--status", "working", "k3x9", "--json"],
        ["--json", "--status=working", "--", "k3x9"],
    ],
)
def test_options_may_stand_anywhere_after_the_command(argv: list[str]) -> None:
    parsed = read("task", "update", *argv)
    assert (parsed.required("id"), parsed.text("status"), parsed.json) == ("k3x9", "working", True)


def test_create_with_every_option_is_parsed() -> None:
    parsed = read(
        *("task", "create", "fix/login", "Fix the loop", "--context", "-", "--blocked-by", "a1"),
        *("--blocked-by=b2", "--no-spawn", "--review-effort", "high"),
    )
    assert parsed.text("branch") == "fix/login"
    assert parsed.text("summary") == "Fix the loop"
    assert parsed.text("context") == "-"
    assert parsed.texts("blocked-by") == ("a1", "b2")
    assert parsed.flag("no-spawn")
    assert parsed.text("review-effort") == "high"
    assert parsed.text("harness") is None
    assert read("task", "create").texts("blocked-by") == ()


@pytest.mark.parametrize(
    ("argv", "summary"),
    [
        (["b", "-5 degrees"], "-5 degrees"),
        (["b", "--", "-5"], "-5"),
        (["b", "--", "--help"], "--help"),
        (["--", "b", "--"], "--"),
        (["b", "- [ ] tidy up"], "- [ ] tidy up"),
        (["b", "-"], "-"),
        (["b", ""], ""),
        (["b", "a=b --json"], "a=b --json"),
        (["b", "caf\udce9"], "caf\udce9"),
    ],
)
def test_text_is_passed_on_unchanged(argv: list[str], summary: str) -> None:
    assert read("task", "create", *argv).text("summary") == summary


@pytest.mark.parametrize(
    ("argv", "value"),
    [
        (["--context=-x"], "-x"),
        (["--context=--json"], "--json"),
        (["--context="], ""),
        (["--context", ""], ""),
        (["--context", "- first\n- second"], "- first\n- second"),
        (["--context=a=b"], "a=b"),
        (["--context", "-"], "-"),
    ],
)
def test_option_values_are_read_in_every_form(argv: list[str], value: str) -> None:
    assert read("task", "create", *argv).text("context") == value


@pytest.mark.parametrize(
    ("argv", "bare", "name", "task"),
    [
        ([], False, None, None),
        (["--branch"], True, None, None),
        (["--branch", "fix"], False, "fix", None),
        (["--branch="], False, "", None),
        (["--branch=-x"], False, "-x", None),
        (["--branch", "--json"], True, None, None),
        (["--branch", "--", "k3x9"], True, None, "k3x9"),
        (["k3x9", "--branch"], True, None, "k3x9"),
    ],
)
def test_branch_option_works_with_and_without_a_name(
    argv: list[str], bare: bool, name: str | None, task: str | None
) -> None:
    parsed = read("task", "update", *argv)
    assert (parsed.flag("branch"), parsed.text("branch"), parsed.text("id")) == (bare, name, task)


@pytest.mark.parametrize("argv", [["-n", "20"], ["-n20"], ["-n=20"], ["--lines", "20"], ["--lines=20"]])
def test_number_option_gives_an_integer(argv: list[str]) -> None:
    assert read("log", *argv).number("lines") == 20


def test_missing_number_option_gives_none() -> None:
    assert read("log").number("lines") is None


@pytest.mark.parametrize(
    ("argv", "path"),
    [
        ("--help", ()),
        ("help", ()),
        ("-h", ()),
        ("--all -h", ()),
        ("task --help", ("task",)),
        ("help task", ("task",)),
        ("help task update", ("task", "update")),
        ("help help", None),
        ("-h task update", ("task", "update")),
        ("task update k3x9 --status -h", ("task", "update")),
        ("task update --nonsense --help", ("task", "update")),
        ("log a b c -h", ("log",)),
    ],
)
def test_help_is_about_the_command_or_group_asked_for(argv: str, path: tuple[str, ...] | None) -> None:
    if path is None:
        assert "there is no command 'help'" in refusal(*argv.split())
    else:
        assert parse(argv.split(), COMMANDS) == HelpRequest(path)


@pytest.mark.parametrize("argv", ["--version", "-V"])
def test_version_is_requested_by_either_option(argv: str) -> None:
    assert parse([argv], COMMANDS) == HelpRequest(version=True)


@pytest.mark.parametrize(
    ("argv", "says"),
    [
        ("tsak", "^there is no command 'tsak'. Did you mean task?"),
        ("help kees", "^there is no command 'kees'. Did you mean help keys?"),
        ("tsak --help", "there is no command 'tsak'"),
        ("help task updaet", "^task: there is no command 'updaet'. Did you mean update?"),
        ("task updaet k3x9", "Did you mean update?"),
        ("task zzz", "Commands: create, list, show, context, update, complete, stuck, cancel, undo, delete"),
        ("task --json list", "put the command first"),
        ("--project coffee task list", "put the command first"),
        ("task update --statsu working", "^task update: there is no option --statsu. Did you mean --status?"),
        ("task update -5", "Put text that begins with a dash after --"),
        ("task list --json=yes", "--json takes no value"),
        ("log --json", "there is no option --json"),
        ("task update --status", "--status needs a value"),
        ("task update --status --json", "--status needs a value"),
        ("task update --status -- x", "--status needs a value"),
        ("task update --status a --status=b", "--status was given twice"),
        ("task update --json --json", "--json was given twice"),
        ("task update --branch --branch x", "--branch was given twice"),
        ("task show", "ID is missing"),
        ("task show a b", "unexpected argument 'b'"),
        ("project list x", "unexpected argument 'x'.\n"),
        ("log -n x", "-n needs a whole number, not 'x'"),
        ("log -n -5", "-n needs a value"),
        ("log -n-5", "not '-5'"),
        ("log -n \u0665", "needs a whole number"),
        ("log -n 99999999999999999999", "needs a whole number"),
        ("log --level loud", "--level must be one of debug, info, warning, error, not 'loud'"),
        ("completion tcsh", "SHELL must be one of bash, zsh, fish, not 'tcsh'"),
        ("--all --project x", "--all and --project cannot be used together"),
        ("task list --project x --all", "--all and --project cannot be used together"),
    ],
)
def test_usage_error_says_what_is_wrong(argv: str, says: str) -> None:
    """`^` is where the sentence begins: `orange: ` stands in front of it when it is printed."""
    assert says in f"^{refusal(*argv.split(' '))}"


def test_usage_error_shows_usage_and_where_help_is() -> None:
    assert refusal("task", "show").splitlines()[1:] == [
        "Usage: orange task show ID [--project P] [--json]",
        "More: orange task show --help",
    ]


def test_group_alone_lists_its_commands() -> None:
    message = refusal("task")
    assert message.startswith("task: which command?")
    assert "\n  update           Move a task" in message


def test_usage_error_is_short_and_has_no_escape_sequences() -> None:
    message = refusal("task", "show", "a", "\x1b[2J" + "x" * 5000)
    assert "\\x1b[2J" in message
    assert len(message) < 300


def test_table_without_program_and_group_entries_still_works() -> None:
    table = [CommandSpec(("a", "b"), "Do it.", (Argument("x", "A thing."),), run="m:f")]
    parsed = parse(["a", "b", "1"], table)
    assert isinstance(parsed, Parsed)
    assert parsed.required("x") == "1"
    for argv in ([], ["a"], ["a", "c"], ["--what"]):
        with pytest.raises(UsageError):
            parse(argv, table)


def test_reading_an_undeclared_name_raises() -> None:
    with pytest.raises(KeyError):
        read("task", "list").text("stauts")
    with pytest.raises(TypeError):
        read("task", "update").required("id")


@pytest.mark.parametrize(
    ("argv", "json"),
    [("task list --json --bogus", True), ("task list", False), ("task create -- --json", False)],
)
def test_json_errors_are_recognized_before_parsing(argv: str, json: bool) -> None:
    assert wants_json(argv.split()) is json


@given(st.lists(words | known_words, max_size=8))
def test_any_arguments_are_parsed_or_refused(argv: list[str]) -> None:
    try:
        assert isinstance(parse(argv, COMMANDS), (Parsed, HelpRequest))
    except UsageError as error:
        str(error).encode()


@given(st.dictionaries(st.sampled_from(["context", "harness", "effort", "parent"]), st.text(st.characters())))
def test_attached_values_are_passed_on_unchanged(values: dict[str, str]) -> None:
    parsed = read("task", "create", *(f"--{name}={value}" for name, value in values.items()))
    assert {name: parsed.text(name) for name in values} == values


@given(st.lists(st.text(st.characters()), max_size=2), st.lists(st.text(st.characters())))
def test_text_after_dashes_and_repeated_values_are_passed_on_unchanged(places: list[str], ids: list[str]) -> None:
    parsed = read("task", "create", *(f"--blocked-by={one}" for one in ids), "--", *places)
    assert [parsed.text("branch"), parsed.text("summary")][: len(places)] == places
    assert parsed.texts("blocked-by") == tuple(ids)


def test_parser_imports_nothing_slow() -> None:
    code = (
        "import sys; from orange_tui.cli.parsing.parser import parse; from orange_tui.cli.all_commands import COMMANDS;"
        "parse(['task', 'update', 'abc', '--status', 'working'], COMMANDS); print(*sys.modules)"
    )
    run = subprocess.run([sys.executable, "-I", "-c", code], capture_output=True, text=True, check=True)
    slow = {"argparse", "dataclasses", "typing", "pathlib", "shutil", "difflib", "enum", "re", "textwrap"}
    ours = {"orange_tui.cli.parsing.help", "orange_tui.cli.parsing._usage_errors"}
    at_start = subprocess.run(
        [sys.executable, "-I", "-c", "import sys; print(*sys.modules)"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert not (slow | ours) & (set(run.stdout.split()) - set(at_start.stdout.split()))


def test_names_in_the_table_are_unique() -> None:
    paths = [command.path for command in COMMANDS]
    assert len(set(paths)) == len(paths)
    for command in COMMANDS:
        names = [n for option in command.every_option for n in option.names]
        keys = [a.name for a in command.arguments] + [option.key for option in command.every_option]
        assert len(set(names)) == len(names)
        assert len(set(keys)) == len(keys), command.path
        assert all(option.name.startswith("--") for option in command.options)
        assert not command.run or not [c for c in paths if command.path and c[:-1] == command.path]


def test_required_arguments_come_first() -> None:
    for command in COMMANDS:
        needed = [argument.required for argument in command.arguments]
        assert needed == sorted(needed, reverse=True), command.path


def test_options_and_arguments_know_their_names() -> None:
    option = Option("--lines", "N", "How many.", short="-n")
    assert (option.key, option.names) == ("lines", ("-n", "--lines"))
    assert Argument("id", "A task.").metavar == "ID"


def test_every_run_is_a_module_and_a_function() -> None:
    for command in COMMANDS:
        module, colon, function = command.run.partition(":")
        assert not command.run or (colon and function.isidentifier() and module.startswith("orange_tui."))
    assert callable(importlib.import_module("orange_tui.cli.parsing.completion").script)
