"""The table of settings: a new one is one entry in `SETTINGS`, with its documentation."""

from __future__ import annotations

from orange_tui.domain.errors import Refused
from orange_tui.domain.records import record
from orange_tui.domain.sandbox.tables import MODES, OFF
from orange_tui.domain.task import check_web_address, is_dollars

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


@record
class Setting:
    """One key of config.yml: its kind, its default and its meaning; `check` refuses invalid values."""

    kind: type
    default: object
    meaning: str
    check: Callable[[str], object] | None = None
    choices: tuple[str, ...] = ()  # where it is one of a few words
    is_secret: bool = False  # it may hold a token or a password: a screen does not show it by itself


def _check_zone(name: str) -> None:
    from orange_tui.home.time_zone import find_zone

    if name:
        find_zone(name)


def _check_webhook(address: str) -> None:
    if address:
        check_web_address(address)


def _check_positive(number: str) -> None:
    if int(number) < 1:
        raise Refused(f"{number} is not enough; it must be 1 or more")


def _check_not_negative(number: str) -> None:
    if int(number) < 0:
        raise Refused(f"{number} is not possible; it must be 0 or more")


def _check_dollars(amount: str) -> None:
    if not is_dollars(float(amount)):
        raise Refused(f"{amount} is not a budget; write a number of dollars, such as 5 or 2.50")


def _check_notice_address(address: str) -> None:
    """Only its shape: Apprise knows the rest. It holds tokens, so it is not repeated here."""
    service, separator, rest = address.partition("://")
    if not (service.isascii() and service and separator and rest) or not address.isprintable():
        raise Refused(
            "one of the addresses is not an address; one begins with its service, such as ntfy://… or slack://…"
        )


def _check_time_of_day(text: str) -> None:
    hours, _, minutes = text.partition(":")
    is_time = len(hours) == len(minutes) == 2 and text.isascii() and f"{hours}{minutes}".isdecimal()  # noqa: PLR2004
    if text and not (is_time and int(hours) < 24 and int(minutes) < 60):  # noqa: PLR2004 - of a day, and an hour
        raise Refused("this is not a time of day; write one such as 08:00")


def _check_words(text: str) -> None:
    import shlex

    try:
        shlex.split(text)
    except ValueError:
        raise Refused(f"{text} has a quote that does not end") from None


def _check_back_key(key: str) -> None:
    modifier, _, name = key.rpartition("+")
    is_letter = modifier in {"ctrl", "alt"} and len(name) == 1 and name in "aefgklnopqrstuvwxy"
    if not is_letter and key.upper() not in {f"F{number}" for number in range(1, 13)}:
        what = "a key from F1 to F12, or ctrl+ or alt+ and a letter that no terminal needs (not b, c, d, h, i, j, m, z)"
        raise Refused(f"{key} can't be it; it is {what}")


def _check_sandbox(mode: str) -> None:
    if mode not in MODES:
        raise Refused(f"{mode} is not possible; it must be {', '.join(MODES[:-1])} or {MODES[-1]}")


SETTINGS: Mapping[str, Setting] = {
    "bell": Setting(bool, True, "Whether the terminal rings once when a task needs you."),
    "desktop": Setting(
        bool, False, "Whether a desktop notification says so, too: by notify-send, osascript or the terminal."
    ),
    "keys": Setting(
        dict,
        {},
        "Other keys for the app: a command's name (`orange help keys` has them) and its key, such as `merge: f5`.",
    ),
    "editor": Setting(
        str,
        "",
        "What `o` opens a task's worktree with, such as code, or `nvim -R` (default: VISUAL or EDITOR). No shell reads"
        " it; a word with blanks in it is put in quotes.",
        _check_words,
    ),
    "back_key": Setting(
        str,
        "F9",
        "The key that leads back from an agent's session to Orange: F1 to F12, or one such as ctrl+g or alt+o. Neither"
        " the agent nor your terminal should need it.",
        _check_back_key,
    ),
    "columns": Setting(
        list,
        [],
        "The columns of the list and their order, such as [task, status, summary, age]; help (?) explains them all."
        " Where there is too little room, the ones that tell least are left out (default: all of them).",
    ),
    "timezone": Setting(
        str, "", "The time zone of jobs, such as Europe/Berlin (default: TZ, else the machine's).", _check_zone
    ),
    "router": Setting(str, "", "The agent that routes tasks, with one question each (default: `router_fallback`)."),
    "router_model": Setting(
        str, "", "The model of that agent, as its own --model takes it (default: the agent's own default)."
    ),
    "router_timeout": Setting(int, 60, "How many seconds it may take before the fallback is used."),
    "router_fallback": Setting(
        str, "", "The agent for a task whose routing failed (default: the first one installed)."
    ),
    "parallel": Setting(
        int, 4, "How many tasks that start by themselves (autopilot) run at once; a project can allow fewer."
    ),
    "max_attempts": Setting(
        int,
        5,
        "How often an unattended task (autopilot) is tried before it is blocked; a project can say.",
        _check_positive,
    ),
    "stuck_timeout": Setting(
        int,
        1800,
        "After how many seconds an unattended task that nobody works on any more is tried again; a project can say.",
        _check_positive,
    ),
    "nudge": Setting(
        int,
        1,
        "How often an agent that stopped without handing in is reminded before you are asked (0: never).",
        _check_not_negative,
    ),
    "budget": Setting(
        float,
        0.0,
        "How many dollars a task may use before you are asked, 0 for no limit; a project or a task can say.",
        _check_dollars,
    ),
    "prices": Setting(
        dict,
        {},
        "What models cost, in dollars per million tokens, such as `gpt-5.5: {input: 5, output: 30}`.",
    ),
    "auto_fix": Setting(
        bool,
        False,
        "Whether failed checks and review comments of a pull request go back to the agent by themselves, where the"
        " workflow has rules for it, and its fixes are pushed; a project can say.",
    ),
    "failover": Setting(
        list,
        [],
        "The agents that go on with a task whose agent has reached its limit, in this order, such as [codex, claude];"
        " a project can say (default: none, it waits).",
    ),
    "notify": Setting(
        list,
        [],
        "Where you are told that a task needs you while you are not at the app: addresses as Apprise takes them, such"
        " as [ntfy://my-topic, slack://…]. Nothing of your files is in a notice. `orange doctor --notify` tries them.",
        _check_notice_address,
        is_secret=True,
    ),
    "notify_daily": Setting(
        str,
        "",
        "When a summary of the day is sent to them: what was done, what needs you and what it cost, such as 08:00.",
        _check_time_of_day,
    ),
    "resume": Setting(
        bool,
        False,
        "Whether agents that were lost with tmux, as after a reboot, are brought back by themselves, one by one and"
        " with their conversations where they can; `orange service install` has that done without a login.",
    ),
    "sandbox": Setting(
        str,
        OFF,
        "Which agents of tasks run in a sandbox: off, reviewers, or all; a project can say. In one they write little"
        " but their worktree and their task, and your keys and logins are not there. It needs bubblewrap.",
        _check_sandbox,
        MODES,
    ),
    "webhook": Setting(
        str,
        "",
        "The web address to which `notify` hooks with `via: webhook` send their notices.",
        _check_webhook,
        is_secret=True,
    ),
}
