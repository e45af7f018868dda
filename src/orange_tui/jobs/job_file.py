"""jobs.json: the jobs of a home, and the last run of each; keys that Orange does not know are kept.

A job is changed under a lock, by its id, and only in the keys that change: two processes lose nothing of each
other's. A file that cannot be parsed is refused with the place, and never rewritten.
"""

from __future__ import annotations

import os
from contextlib import contextmanager

from orange_tui.domain.errors import NotFound, Refused, Unreadable
from orange_tui.domain.records import record
from orange_tui.domain.task import check_id, match_prefix
from orange_tui.home.files import make_directory
from orange_tui.home.json_file import JsonFile

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from datetime import datetime
    from typing import Any

    from orange_tui.home.paths import Home

    Entries = list[dict[str, Any]]

_FIRST_YEAR, _LAST_YEAR = 1970, 9000


@record
class PendingRun:
    """A scheduled run whose task is being created: when it was due, and the id its task has or will have."""

    run: str
    task: str


@record
class SkippedRun:
    """A scheduled run that became no task, and why."""

    run: str
    reason: str


@record
class Job:
    """A task that is created on a schedule. Times are UTC; `entry` is all that jobs.json has about it."""

    id: str
    cron: str
    summary: str
    body: str
    labels: tuple[str, ...]
    project: str
    workflow: str | None
    harness: str | None
    enabled: bool
    created_at: str
    enabled_at: str  # runs before it do not count
    last_run: str | None  # the scheduled time of the last run, skipped or not
    last_task: str | None
    skipped: SkippedRun | None  # the last run, if it became no task
    starting: PendingRun | None  # written before its task is created, so that it is created once
    entry: Mapping[str, Any]

    def as_json(self) -> dict[str, object]:
        """The job for a program: everything in the file about it, with the defaults filled in."""
        known = {name: self.__dict__[name] for name in _FIELDS}
        runs = {name: value.__dict__ if (value := self.__dict__[name]) else None for name in _RUN_FIELDS}
        return known | runs | {key: value for key, value in self.entry.items() if key not in known.keys() | _RUN_FIELDS}


_ID, _TIME = "an id of lower-case letters and digits", "a time in UTC such as 2026-11-16T09:30:00Z"
_FIELDS: Mapping[str, tuple[str, object]] = {
    "id": (_ID, None),
    "cron": ("a text", None),
    "summary": ("a text", None),
    "body": ("a text", ""),
    "labels": ("a list of texts", ()),
    "project": ("a text", None),
    "workflow": ("a text or null", None),
    "harness": ("a text or null", None),
    "enabled": ("true or false", True),
    "created_at": (_TIME, None),
    "enabled_at": (_TIME, None),
    "last_run": (f"{_TIME} or null", None),
    "last_task": (f"{_ID} or null", None),
}
_RUN_FIELDS: Mapping[str, tuple[type, tuple[str, str]]] = {
    "skipped": (SkippedRun, ("run", "reason")),
    "starting": (PendingRun, ("run", "task")),
}


@record
class JobFile:
    """The jobs of one home."""

    home: Home

    def all(self) -> list[Job]:
        """Every job, in the order they were added."""
        return self._parse(self._file.read_objects())

    def find(self, prefix: str) -> Job:
        """The job whose id begins so; an exact id wins, an ambiguous prefix is refused."""
        check_id(prefix)
        jobs = self.all()
        found = match_prefix(prefix, jobs)
        if found is not None:
            return found
        known = ", ".join(job.id for job in jobs)
        hint = f"the jobs are {known}" if known else "`orange job add` adds the first one"
        raise NotFound(f"There is no job {prefix}; {hint}")

    def add(self, make: Callable[[set[str]], Mapping[str, object]]) -> Job:
        """Write a new job; `make` is called with the ids that are taken."""
        with self._changing() as entries:
            entries.append(dict(make({str(entry.get("id")) for entry in entries})))
        return self.find(str(entries[-1]["id"]))

    def update(self, job_id: str, changes: Mapping[str, object]) -> bool:
        """Change some keys of a job; False for one that was removed meanwhile, and stays removed."""
        with self._changing() as entries:
            found = [entry for entry in entries if entry.get("id") == job_id]
            for entry in found:
                entry.update(changes)
        return bool(found)

    def remove(self, job_id: str) -> None:
        """Remove a job; the tasks it created stay."""
        with self._changing() as entries:
            entries[:] = [entry for entry in entries if entry.get("id") != job_id]

    @property
    def _file(self) -> JsonFile:
        return JsonFile(self.home.jobs_file, os.path.join(self.home.root, ".jobs.lock"), title="jobs")

    @contextmanager
    def _changing(self) -> Iterator[Entries]:
        make_directory(self.home.root)
        with self._file.changing_objects() as entries:
            self._parse(entries)
            yield entries
            self._parse(entries)  # what could not be read again is not written

    def _parse(self, entries: Entries) -> list[Job]:
        jobs, ids = [], set()
        for number, entry in enumerate(entries, 1):
            job = _parse_job(entry, f"{self.home.jobs_file}, job {number}")
            if job.id in ids:
                raise Unreadable(
                    f"{self.home.jobs_file}, job {number}: there is a job {job.id} already; fix it by hand"
                )
            ids.add(job.id)
            jobs.append(job)
        return jobs


def parse_time(text: str) -> datetime:
    """A time as it is written in the file, as a datetime."""
    from datetime import UTC, datetime

    return datetime.fromisoformat(text.removesuffix("Z")).replace(tzinfo=UTC)


def format_time(moment: datetime) -> str:
    """A time as it is written in the file: in UTC, to the second."""
    from datetime import UTC

    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _parse_job(entry: dict[str, Any], where: str) -> Job:
    given = {"enabled_at": entry.get("created_at"), **entry}
    values: dict[str, Any] = {}
    for name, (kind, default) in _FIELDS.items():
        value = given.get(name, default)
        if not _is_valid(kind, value):
            raise Unreadable(f"{where}: `{name}` must be {kind}; fix it by hand")
        values[name] = tuple(value) if name == "labels" else value
    for name, (run_class, keys) in _RUN_FIELDS.items():
        value = entry.get(name)
        if value is not None and not _has_texts(value, keys):
            raise Unreadable(f"{where}: `{name}` must have the texts {' and '.join(keys)}; fix it by hand")
        values[name] = None if value is None else run_class(*(value[key] for key in keys))
    return Job(**values, entry=entry)


def _is_valid(kind: str, value: object) -> bool:
    if value is None:
        return kind.endswith("null")
    if kind == "true or false":
        return isinstance(value, bool)
    if kind == "a list of texts":
        return isinstance(value, list | tuple) and all(isinstance(each, str) for each in value)
    checks = [check for begin, check in ((_ID, _is_id), (_TIME, _is_time)) if kind.startswith(begin)]
    return isinstance(value, str) and all(check(value) for check in checks)


def _has_texts(value: object, keys: tuple[str, str]) -> bool:
    if not isinstance(value, dict) or not all(isinstance(value.get(key), str) for key in keys):
        return False
    return _is_time(value["run"]) and ("task" not in keys or _is_id(value["task"]))


def _is_id(text: str) -> bool:
    """Whether a text is a valid id: it goes into paths."""
    try:
        check_id(text)
    except Refused:
        return False
    return True


def _is_time(text: str) -> bool:
    """Whether a text is a time in UTC, in a year that calendar arithmetic can handle."""
    try:
        return text.endswith("Z") and "+" not in text and _FIRST_YEAR <= parse_time(text).year < _LAST_YEAR
    except ValueError:
        return False
