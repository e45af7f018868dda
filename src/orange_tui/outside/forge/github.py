"""GitHub, asked through its own program `gh`."""

from __future__ import annotations

from urllib.parse import quote

from orange_tui.domain.errors import Refused
from orange_tui.outside.forge import _github_checks as checks
from orange_tui.outside.forge import _github_issues as issues
from orange_tui.outside.forge import _github_own_review as own_review
from orange_tui.outside.forge import _github_pull_requests as pull_requests
from orange_tui.outside.forge import _github_review as review
from orange_tui.outside.forge._gh import (
    download,
    explain,
    graphql,
    read_json,
    read_json_pages,
    rest,
    run_gh,
    text_at,
    value_at,
)
from orange_tui.outside.forge.interface import Forge, ForgeUnavailable, IssueList

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from orange_tui.domain.pull_request import Check, PullRequest
    from orange_tui.outside.forge.interface import (
        Address,
        HostedRepository,
        Issue,
        IssueComment,
        IssueThread,
        Label,
        NewPullRequest,
    )
    from orange_tui.outside.forge.review_records import CheckFailure, NewReview, PullRequestDetails, PullRequestReview

_PULL_REQUESTS_PER_QUERY = 100
_REVIEWS_PER_QUERY = 10  # each may have hundreds of comments
_MAX_PAGES = 30
_MAX_LOG_BYTES = 20_000_000
_COMMENTS_TIMEOUT_SECONDS = 10.0  # an agent's start waits for this
_EXISTS_ALREADY, _NOT_THERE = "HTTP 422", "HTTP 404"


class GitHub(Forge):
    """github.com, and the hosts of GitHub Enterprise that gh is logged in to."""

    name = "GitHub"
    program = "gh"
    install_hint = "See cli.github.com"
    template_name = "pull_request_template.md"
    template_directories = (".github", "", "docs")

    def is_installed(self) -> bool:
        """Whether gh is there."""
        from shutil import which

        return which(self.program) is not None

    def owns_remote(self, url: str) -> bool:
        """Any remote may be on a GitHub Enterprise host; only gh can tell."""
        del url
        return True

    def pull_request_address(self, url: str) -> Address | None:
        """https://host/owner/name/pull/number."""
        return pull_requests.address_of(url)

    def issue_address(self, url: str) -> Address | None:
        """https://host/owner/name/issues/number."""
        return issues.address_of(url)

    def branch_url(self, repository: HostedRepository, branch: str) -> str:
        """https://host/owner/name/tree/branch."""
        return f"https://{repository}/tree/{quote(branch)}"

    def find_open_pull_request(self, checkout: str, branch: str) -> str | None:
        """A fork's branch may have the same name: its pull request is another's."""
        words = ("pr", "list", "--head", branch, "--state", "open", "--json", "url,isCrossRepository")
        found = read_json(*words, directory=checkout)
        return next((str(each["url"]) for each in found if not each.get("isCrossRepository")), None)

    def create_pull_request(self, checkout: str, new: NewPullRequest) -> str:
        """Both outputs of gh are read: beside the URL there may be a warning about what is not committed."""
        words = ["pr", "create", "--base", new.base, "--head", new.branch, "--title", new.title, "--body-file", "-"]
        finished = run_gh(*words, directory=checkout, stdin=new.text)
        if finished.code != 0 and "already exists" not in finished.message:
            raise Refused(f"gh could not open a pull request: {explain(finished)}")
        printed = f"{finished.errors} {finished.output}".split()
        urls = [word for word in printed if word.startswith("https://")]
        if not urls:
            raise Refused(f"gh opened a pull request but did not print its address: {finished.message}")
        return urls[-1]

    def read_pull_requests(self, host: str, addresses: Sequence[Address]) -> dict[Address, PullRequest | str]:
        """One query for each hundred."""
        found: dict[Address, PullRequest | str] = {}
        for start in range(0, len(addresses), _PULL_REQUESTS_PER_QUERY):
            some = addresses[start : start + _PULL_REQUESTS_PER_QUERY]
            replies = pull_requests.parse_reply(graphql(host, pull_requests.query_for(some)), some)
            found.update(zip(some, replies, strict=True))
        return found

    def read_reviews(self, host: str, addresses: Sequence[Address]) -> dict[Address, PullRequestReview | str]:
        """One query for each ten."""
        found: dict[Address, PullRequestReview | str] = {}
        for start in range(0, len(addresses), _REVIEWS_PER_QUERY):
            some = addresses[start : start + _REVIEWS_PER_QUERY]
            replies = review.parse_reply(graphql(host, review.query_for(some)), some)
            found.update(zip(some, replies, strict=True))
        return found

    def read_failure(self, repository: HostedRepository, check: Check) -> CheckFailure:
        """GitHub keeps logs for some weeks, and has those of its own runners only."""
        log = ""
        if check.job:
            try:
                log = download(repository.host, checks.log_path(repository, check.job), _MAX_LOG_BYTES)
            except ForgeUnavailable:
                raise
            except Refused:
                log = ""
        return checks.failure_of(check, repository, log)

    def post_reply(self, pull_request: Address, thread: str, text: str) -> str:
        """Through GraphQL: the REST interface wants another number, which nobody else needs."""
        reply = graphql(pull_request.repository.host, review.REPLY, thread=thread, body=text)
        url = text_at(reply, "data", "addPullRequestReviewThreadReply", "comment", "url")
        if not url:
            raise Refused(
                f"GitHub did not take the reply: {text_at(reply, 'errors', 0, 'message') or 'it says nothing'}"
            )
        return url

    def resolve_thread(self, pull_request: Address, thread: str, *, is_resolved: bool) -> None:
        """GitHub says how the thread is then."""
        query = review.RESOLVE if is_resolved else review.UNRESOLVE
        reply = graphql(pull_request.repository.host, query, thread=thread)
        if value_at(reply, "data", "done", "thread", "isResolved") is not is_resolved:
            raise Refused(text_at(reply, "errors", 0, "message") or "GitHub did not take it, and says nothing")

    def read_details(self, pull_request: Address) -> PullRequestDetails:
        """One query."""
        reply = graphql(pull_request.repository.host, own_review.details_query(pull_request))
        return own_review.parse_details(reply)

    def find_review(self, pull_request: Address, mark: str) -> str | None:
        """Among the last hundred: it was to be submitted a moment ago."""
        reply = graphql(pull_request.repository.host, own_review.reviews_query(pull_request))
        return own_review.find_marked(reply, mark)

    def submit_review(self, pull_request: Address, review: NewReview) -> str:
        """POST …/reviews."""
        path = f"{_path(pull_request.repository)}/pulls/{pull_request.number:d}/reviews"
        reply = rest(pull_request.repository.host, "POST", path, own_review.as_json(review))
        return text_at(reply, "html_url")

    def repository_of(self, checkout: str) -> HostedRepository:
        """As `gh repo view` finds it from the clone's remotes."""
        try:
            reply = read_json("repo", "view", "--json", "url", directory=checkout)
        except Refused as problem:
            raise ForgeUnavailable(str(problem)) from None
        address = issues.address_of(f"{text_at(reply, 'url')}/issues/1")
        if address is None:
            raise ForgeUnavailable("gh does not say which repository on GitHub this is")
        return address.repository

    def list_issues(self, repository: HostedRepository, since: str | None, tracked: Sequence[int]) -> IssueList:
        """Page by page, the tracked ones with the first."""
        viewer, after, deleted = "", None, tuple[int, ...]()
        found: dict[str, Issue] = {}
        for page in range(_MAX_PAGES):
            wanted = tracked if page == 0 else ()
            query = issues.page_query(repository, since=since, after=after, tracked=wanted)
            reply = issues.parse_page(graphql(repository.host, query), wanted)
            if reply is None:
                raise ForgeUnavailable(f"{repository} is no longer on GitHub, or you have no access to it")
            viewer, deleted, after = reply.viewer, deleted or reply.deleted, reply.next_page
            found.update({issue.key: issue for issue in reply.issues})
            if after is None:
                break
        return IssueList(viewer, tuple(found.values()), deleted)

    def read_thread(self, issue: Address, labels: Sequence[str]) -> IssueThread:
        """Labels and the last hundred comments."""
        thread = issues.parse_thread(graphql(issue.repository.host, issues.thread_query(issue, labels)), labels)
        if thread is None:
            raise Refused(f"GitHub has no issue {issue.number} in {issue.repository} any more")
        return thread

    def read_comments(
        self, checkout: str, number: int, repository: HostedRepository | None, limit: int
    ) -> list[IssueComment]:
        """Through the REST interface, which needs no repository: gh finds it from the checkout."""
        where = f"{repository.owner}/{repository.name}" if repository else "{owner}/{repo}"
        words = ["api", "--paginate", f"repos/{where}/issues/{number:d}/comments?per_page=100"]
        words += ["--hostname", repository.host] if repository else []
        pages = read_json_pages(*words, directory=checkout, timeout=_COMMENTS_TIMEOUT_SECONDS)
        found = [issues.parse_comment(each) for page in pages for each in page if isinstance(each, dict)]
        return sorted(found, key=lambda comment: comment.created_at)[-limit:]

    def post_comment(self, issue: Address, text: str) -> str:
        """POST …/comments."""
        reply = rest(issue.repository.host, "POST", f"{_issue_path(issue)}/comments", {"body": text})
        return text_at(reply, "html_url")

    def create_label(self, repository: HostedRepository, label: Label) -> None:
        """POST …/labels."""
        body = {"name": label.name, "color": label.color, "description": label.description}
        _rest_unless(_EXISTS_ALREADY, repository.host, "POST", f"{_path(repository)}/labels", body)

    def add_label(self, issue: Address, label: str) -> None:
        """POST …/labels of the issue."""
        rest(issue.repository.host, "POST", f"{_issue_path(issue)}/labels", {"labels": [label]})

    def remove_label(self, issue: Address, label: str) -> None:
        """DELETE …/labels/name."""
        path = f"{_issue_path(issue)}/labels/{quote(label, safe='')}"
        _rest_unless(_NOT_THERE, issue.repository.host, "DELETE", path)

    def register_branch(self, issue: Address, branch: str, base: str, checkout: str) -> None:
        """`gh issue develop`."""
        words = ("issue", "develop", f"{issue.number:d}", "--repo", str(issue.repository), "--name", branch)
        finished = run_gh(*words, "--base", base, directory=checkout)
        if finished.code != 0:
            raise Refused(explain(finished))


def _path(repository: HostedRepository) -> str:
    return f"repos/{repository.owner}/{repository.name}"


def _issue_path(issue: Address) -> str:
    return f"{_path(issue.repository)}/issues/{issue.number:d}"


def _rest_unless(harmless: str, host: str, method: str, path: str, body: object = None) -> None:
    """A REST call whose failure with this status means that nothing was left to do."""
    try:
        rest(host, method, path, body)
    except ForgeUnavailable:
        raise
    except Refused as problem:
        if harmless not in str(problem):
            raise
