"""jobs.json: what survives a change, and what a file that is not right leads to."""

from __future__ import annotations

import json
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from orange_tui.domain.errors import NotFound, OrangeError, Refused, Unreadable
from orange_tui.home.paths import Home
from orange_tui.jobs.job_file import JobFile

JOB: dict[str, Any] = {
    "id": "k3x9abc",
    "cron": "@daily",
    "summary": "Brew",
    "project": "coffee",
    "created_at": "2026-11-16T09:30:00.000000Z",
}
steadily = settings(deadline=None, derandomize=True, database=None)
anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)


@pytest.fixture
def jobs(tmp_path: Path) -> JobFile:
    return JobFile(Home(str(tmp_path)))


def written(jobs: JobFile, *entries: object) -> Path:
    path = Path(jobs.home.jobs_file)
    path.write_text(json.dumps(list(entries)))
    return path


def test_job_written_by_hand_needs_only_the_required_keys(jobs: JobFile) -> None:
    written(jobs, JOB)
    [job] = jobs.all()
    assert (job.enabled, job.body, job.labels, job.last_run) == (True, "", (), None)
    assert job.enabled_at == job.created_at


def test_job_is_found_by_a_prefix_of_its_id(jobs: JobFile) -> None:
    written(jobs, JOB, JOB | {"id": "k3zz"})
    assert jobs.find("k3x").id == "k3x9abc"
    with pytest.raises(Refused, match="k3x9abc, k3zz"):
        jobs.find("k3")
    with pytest.raises(NotFound, match="the jobs are k3x9abc, k3zz"):
        jobs.find("zzz")


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"cron": 5}, "job 1: `cron` must be a text"),
        ({"id": "../../etc"}, "`id` must be an id"),
        ({"enabled": "yes"}, "`enabled` must be true or false"),
        ({"labels": "chore"}, "`labels` must be a list of texts"),
        ({"created_at": "yesterday"}, "`created_at` must be a time in UTC"),
        ({"last_run": "2026-11-16T09:30:00+01:00"}, "`last_run` must be a time in UTC"),
        ({"last_run": "0001-01-01T00:00:00Z"}, "`last_run` must be a time in UTC"),
        ({"last_task": "a/b"}, "`last_task` must be an id"),
        ({"starting": {"run": "2026-11-16T09:30:00Z", "task": "../x"}}, "`starting` must have the texts run and task"),
        ({"skipped": "no"}, "`skipped` must have the texts run and reason"),
    ],
)
def test_invalid_value_is_refused_with_its_place_and_left_as_it_is(
    jobs: JobFile, change: dict[str, object], said: str
) -> None:
    path = written(jobs, JOB | change)
    before = path.read_bytes()
    with pytest.raises(Unreadable, match=r"jobs\.json") as problem:
        jobs.all()
    assert said in str(problem.value)
    with pytest.raises(Unreadable):
        jobs.remove("k3x9abc")
    with pytest.raises(Unreadable):
        jobs.add(lambda _taken: JOB)
    assert path.read_bytes() == before


@pytest.mark.parametrize("text", ["", "{", "{}", "[1]", "[" * 100_000, '[{"id": "a"}', "\xff"])
def test_file_that_is_no_list_of_jobs_is_refused_and_left_as_it_is(jobs: JobFile, text: str) -> None:
    path = Path(jobs.home.jobs_file)
    path.write_bytes(text.encode("latin-1"))
    with pytest.raises(Unreadable, match=r"jobs\.json.*fix it by hand"):
        jobs.update("k3x9abc", {"enabled": False})
    assert path.read_bytes() == text.encode("latin-1")


def test_two_jobs_of_one_id_are_refused(jobs: JobFile) -> None:
    written(jobs, JOB, JOB)
    with pytest.raises(Unreadable, match="job 2: there is a job k3x9abc already"):
        jobs.all()


def test_update_of_a_removed_job_does_not_bring_it_back(jobs: JobFile) -> None:
    written(jobs, JOB)
    assert jobs.update("k3x9abc", {"enabled": False})
    jobs.remove("k3x9abc")
    assert not jobs.update("k3x9abc", {"enabled": True})
    assert jobs.all() == []


@steadily
@given(st.dictionaries(st.text(max_size=12).map(lambda key: f"my {key}"), anything, max_size=4), st.text())
def test_unknown_keys_and_any_text_survive_a_rewrite(extra: dict[str, object], body: str) -> None:
    with TemporaryDirectory() as root:
        jobs = JobFile(Home(root))
        jobs.add(lambda _taken: JOB | extra | {"body": body})
        jobs.add(lambda taken: JOB | {"id": f"x{len(taken)}"})
        jobs.update("k3x9abc", {"last_run": "2026-11-16T09:30:00Z"})
        jobs.remove("x1")
        [job] = jobs.all()
        assert job.body == body
        assert job.last_run == "2026-11-16T09:30:00Z"
        assert {key: job.as_json()[key] for key in extra} == extra


@steadily
@given(st.one_of(anything, st.lists(st.dictionaries(st.sampled_from([*JOB, "labels", "starting"]), anything))))
def test_any_content_is_parsed_or_refused_in_one_line(content: object) -> None:
    with TemporaryDirectory() as root:
        jobs = JobFile(Home(root))
        Path(jobs.home.jobs_file).write_text(json.dumps(content))
        try:
            found: object = [json.loads(json.dumps(job.entry)) for job in jobs.all()]
        except OrangeError as problem:
            said = str(problem)
            is_right = "jobs.json" in said
        else:
            is_right = found == content
        assert is_right
