"""Asking GitHub about the pull requests of all unfinished tasks: one question a host, every half minute.

Where there is none, nothing is asked. A host that does not answer is left alone for longer and longer; it is said
once why. All of this is beside the supervisor's other work and never holds it up.
"""

from __future__ import annotations

import asyncio
import time
from contextlib import suppress

from orange_tui.delivery import pr_news
from orange_tui.delivery.pull_requests import NO_ADDRESS, ask_about
from orange_tui.domain.errors import OrangeError
from orange_tui.domain.pull_request import address_of
from orange_tui.outside.backoff import Backoff, in_background
from orange_tui.outside.github import Unanswered

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from orange_tui.domain.pull_request import PullRequest
    from orange_tui.orange import Orange
    from orange_tui.store.store import TaskRef

EVERY = 30.0  # seconds between two questions to a host
LONGEST = 900.0  # seconds that a host without an answer is left alone at most, unless it asks for more


class Host(Backoff):
    """When a host may be asked again, and what it suffers from."""

    def __init__(self) -> None:
        super().__init__(EVERY, LONGEST)


class PullRequestWatch:
    """The pull requests of one home."""

    def __init__(self, orange: Orange) -> None:
        self._orange = orange
        self._urls: dict[TaskRef, str] = {}
        self._hosts: dict[str, Host] = {}
        self._has_new = False
        self._problems: dict[TaskRef, str] = {}  # what was logged of a task, so that it is logged once
        self._wake = asyncio.Event()

    def know(self, ref: TaskRef, url: str | None) -> None:
        """A task has this pull request, or none that matters any more. Called from any thread."""
        if url is None:
            self._urls.pop(ref, None)
        elif self._urls.get(ref) != url:
            self._urls[ref] = url
            self._has_new = True

    def look(self) -> None:
        """Ask now for what has come to be known since the last time."""
        if self._has_new:
            self._has_new = False
            for host in self._hosts.values():
                host.due = host.due if host.problem else 0.0
            self._wake.set()

    async def run(self) -> None:
        """Ask, for ever."""
        while True:
            for name, refs in self._by_host().items():
                if self._host(name).due <= time.monotonic():
                    await self._ask(name, refs)
            due = [self._host(name).due for name in self._by_host()]
            with suppress(TimeoutError):
                await asyncio.wait_for(self._wake.wait(), max(0.0, min(due) - time.monotonic()) if due else None)
            self._wake.clear()

    def _host(self, name: str) -> Host:
        return self._hosts.setdefault(name, Host())

    def _by_host(self) -> dict[str, dict[TaskRef, str]]:
        found: dict[str, dict[TaskRef, str]] = {}
        for ref, url in list(self._urls.items()):
            address = address_of(url)
            found.setdefault(address.host if address else "", {})[ref] = url
        return found

    async def _ask(self, name: str, refs: Mapping[TaskRef, str]) -> None:
        host, addresses = self._host(name), {url: address_of(url) for url in refs.values()}
        wanted = list(dict.fromkeys(address for address in addresses.values() if address is not None))
        try:
            found = await in_background(lambda: ask_about(name, wanted)) if wanted else {}
        except Unanswered as problem:
            is_news = host.failed(str(problem), problem.pause)
            news = ("warning", f"Pull requests on {name} cannot be followed: {problem}") if is_news else None
            await asyncio.to_thread(self._take, refs, dict.fromkeys(refs, str(problem)), news)
            return
        news = ("info", f"Pull requests on {name} can be followed again") if host.problem else None
        host.succeeded()
        answers = {ref: found[address] if (address := addresses[url]) else NO_ADDRESS for ref, url in refs.items()}
        await asyncio.to_thread(self._take, refs, answers, news)

    def _take(
        self,
        refs: Mapping[TaskRef, str],
        answers: Mapping[TaskRef, PullRequest | str],
        news: tuple[str, str] | None,
    ) -> None:
        if news is not None:
            self._orange.log.write(*news)
        for ref, url in refs.items():
            try:
                self._tell(ref, pr_news.take(self._orange, ref, url, answers[ref]).problem)
            except OrangeError as problem:
                self._tell(ref, str(problem))
            except Exception as problem:  # noqa: BLE001 - whatever it is, it is told, and the others go on
                self._tell(ref, repr(problem))

    def _tell(self, ref: TaskRef, problem: str) -> None:
        """What is wrong with one task's pull request; what is wrong with its host was said already."""
        known = self._problems.pop(ref, "")
        if problem:
            self._problems[ref] = problem
        if problem and problem != known and problem not in {host.problem for host in self._hosts.values()}:
            self._orange.log.write("warning", f"Its pull request: {problem}", task=ref.id)
