"""Polls the pull requests of all unfinished tasks: one query a host, every half minute.

Without pull requests nothing is asked. A host that does not answer is asked less and less often, and the reason is
logged once. All of this runs in the background and never holds up the supervisor's other work.
"""

from __future__ import annotations

import asyncio
import time

from orange_tui.delivery.pr_review.sync import Followed, ReviewSync
from orange_tui.delivery.pr_status import apply_answer
from orange_tui.delivery.pull_requests import NOT_A_PULL_REQUEST
from orange_tui.domain.errors import OrangeError
from orange_tui.outside.backoff import Backoff, in_background, pause
from orange_tui.outside.forge.interface import ForgeUnavailable
from orange_tui.outside.forge.registry import find_pull_request

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from orange_tui.domain.pull_request import PullRequest
    from orange_tui.engine.tasks import Tasks
    from orange_tui.outside.forge.interface import Address, Forge
    from orange_tui.store.store import TaskRef

POLL_SECONDS = 30.0  # between two queries to a host
MAX_BACKOFF_SECONDS = 900.0  # for a host without an answer, unless it asks for more


class HostBackoff(Backoff):
    """When a host may be asked again, and what keeps it from answering."""

    def __init__(self) -> None:
        super().__init__(POLL_SECONDS, MAX_BACKOFF_SECONDS)


class PullRequestWatcher:
    """The pull requests of one home."""

    def __init__(self, tasks: Tasks) -> None:
        self._tasks, self._log = tasks, tasks.engine.log
        self._urls: dict[TaskRef, str] = {}
        self._hosts: dict[str, HostBackoff] = {}
        self._has_new = False
        self._problems: dict[TaskRef, str] = {}  # what was logged of a task, so that it is logged once
        self._reviews = ReviewSync(tasks)
        self._review_hosts: dict[str, HostBackoff] = {}
        self._wake = asyncio.Event()

    def track(self, ref: TaskRef, url: str | None) -> None:
        """A task has this pull request, or none that matters any more. Called from any thread."""
        if url is None:
            self._urls.pop(ref, None)
        elif self._urls.get(ref) != url:
            self._urls[ref] = url
            self._has_new = True

    def wake_if_new(self) -> None:
        """Ask now if a pull request was added since the last time."""
        if self._has_new:
            self._has_new = False
            for host in self._hosts.values():
                host.due = host.due if host.problem else 0.0
            self._wake.set()

    async def run(self) -> None:
        """Poll for ever."""
        while True:
            for name, urls in self._by_host().items():
                if self._host(name).due <= time.monotonic():
                    await self._poll(name, urls)
            due = [self._host(name).due for name in self._by_host()]
            await pause(max(0.0, min(due) - time.monotonic()) if due else None, self._wake)
            self._wake.clear()

    def _host(self, name: str) -> HostBackoff:
        return self._hosts.setdefault(name, HostBackoff())

    def _by_host(self) -> dict[str, dict[TaskRef, str]]:
        """The URLs on each host; what is not the URL of a pull request is under an empty name."""
        found: dict[str, dict[TaskRef, str]] = {}
        for ref, url in list(self._urls.items()):
            place = find_pull_request(url)
            found.setdefault(place[1].repository.host if place else "", {})[ref] = url
        return found

    async def _poll(self, name: str, urls: Mapping[TaskRef, str]) -> None:
        host, places = self._host(name), {url: find_pull_request(url) for url in urls.values()}
        try:
            found = await in_background(lambda: _read(name, [place for place in places.values() if place is not None]))
        except ForgeUnavailable as problem:
            is_new = host.failed(str(problem), problem.retry_after)
            message = ("warning", f"Pull requests on {name} cannot be followed: {problem}") if is_new else None
            await asyncio.to_thread(self._apply, urls, dict.fromkeys(urls, str(problem)), message)
            return
        message = ("info", f"Pull requests on {name} can be followed again") if host.problem else None
        host.succeeded()
        answers = {ref: found[place[1]] if (place := places[url]) else NOT_A_PULL_REQUEST for ref, url in urls.items()}
        problems = await self._follow_reviews(name, _followed(urls, places, answers))
        await asyncio.to_thread(self._apply, urls, answers, message, problems)

    async def _follow_reviews(self, name: str, followed: list[Followed]) -> dict[TaskRef, str]:
        """Read what people and checks say; a host that does not tell is asked less often, for that alone."""
        host = self._review_hosts.setdefault(name, HostBackoff())
        if not followed or (host.problem and host.due > time.monotonic()):
            return {}
        try:
            problems = await in_background(lambda: self._reviews.run(name, followed))
        except ForgeUnavailable as problem:
            if host.failed(str(problem), problem.retry_after):
                words = f"Comments and checks on {name} cannot be read, and answers not posted: {problem}"
                await asyncio.to_thread(self._log.write, "warning", words)
            return {}
        except Exception as problem:  # noqa: BLE001 - what is known of the pull requests themselves is told all the same
            if host.failed(repr(problem), 0.0):
                await asyncio.to_thread(self._log.write, "error", f"Comments on {name}: {problem!r}")
            return {}
        if host.problem:
            await asyncio.to_thread(self._log.write, "info", f"Comments and checks on {name} can be read again")
        host.succeeded()
        return problems

    def _apply(
        self,
        urls: Mapping[TaskRef, str],
        answers: Mapping[TaskRef, PullRequest | str],
        message: tuple[str, str] | None,
        problems: Mapping[TaskRef, str] | None = None,
    ) -> None:
        if message is not None:
            self._log.write(*message)
        for ref, url in urls.items():
            try:
                problem = apply_answer(self._tasks, ref, url, answers[ref]).problem
                self._log_problem(ref, problem or (problems or {}).get(ref, ""))
            except OrangeError as problem:
                self._log_problem(ref, str(problem))
            except Exception as problem:  # noqa: BLE001 - whatever it is, it is logged, and the others go on
                self._log_problem(ref, repr(problem))

    def _log_problem(self, ref: TaskRef, problem: str) -> None:
        """Log what is wrong with one task's pull request; what is wrong with its host was logged already."""
        known = self._problems.pop(ref, "")
        if problem:
            self._problems[ref] = problem
        if problem and problem != known and problem not in {host.problem for host in self._hosts.values()}:
            self._log.write("warning", f"Its pull request: {problem}", task=ref.id)


def _followed(
    urls: Mapping[TaskRef, str],
    places: Mapping[str, tuple[Forge, Address] | None],
    answers: Mapping[TaskRef, PullRequest | str],
) -> list[Followed]:
    """The pull requests whose review can be read: what was answered for them is about themselves."""
    found = []
    for ref, url in urls.items():
        place, answer = places[url], answers[ref]
        if place is not None and not isinstance(answer, str) and answer.url == url:
            found.append(Followed(ref, *place, answer))
    return found


def _read(host: str, places: list[tuple[Forge, Address]]) -> dict[Address, PullRequest | str]:
    """Ask each forge that has pull requests on this host; with one forge for a host, that is one query."""
    found: dict[Address, PullRequest | str] = {}
    for forge in dict.fromkeys(forge for forge, _ in places):
        found |= forge.read_pull_requests(host, list(dict.fromkeys(each for of, each in places if of is forge)))
    return found
