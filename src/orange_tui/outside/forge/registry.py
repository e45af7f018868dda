"""Which forge a remote or a web address belongs to. Another git host is one more entry in `FORGES`."""

from __future__ import annotations

from orange_tui.outside.forge.github import GitHub
from orange_tui.outside.git import REMOTE, Repository

TYPE_CHECKING = False
if TYPE_CHECKING:
    from orange_tui.outside.forge.interface import Address, Forge

# The first that owns a remote is asked. GitHub is last: only gh knows the hosts of GitHub Enterprise, so it owns
# whatever no other forge does, and gh says so where it knows nothing of that host either.
FORGES: tuple[Forge, ...] = (GitHub(),)


def forge_of_checkout(path: str) -> Forge:
    """The forge that a local clone's remote is on."""
    url = Repository(path).answer("remote", "get-url", REMOTE) or ""
    return next(forge for forge in FORGES if forge.owns_remote(url))


def remote_repositories(path: str) -> dict[str, str]:
    """`owner/name`, in small letters, of each remote of a local clone; of one that is only a path nobody can tell."""
    listed = Repository(path).answer("config", "--get-regexp", r"^remote\..*\.url$") or ""
    found = {}
    for line in listed.splitlines():
        name, _, url = line.partition(" ")
        place = url.strip().partition("://")[2].partition("/")[2] if "://" in url else url.strip().partition(":")[2]
        words = place.strip("/").removesuffix(".git").lower().split("/")
        if len(words) > 1:
            found[name.removeprefix("remote.").removesuffix(".url")] = "/".join(words[-2:])
    return found


def find_pull_request(url: str) -> tuple[Forge, Address] | None:
    """The forge and the place that the URL of a pull request names; None where it is not one."""
    found = ((forge, forge.pull_request_address(url)) for forge in FORGES)
    return next(((forge, address) for forge, address in found if address is not None), None)


def find_issue(url: object) -> tuple[Forge, Address] | None:
    """The same for an issue; a value from a file may be anything."""
    found = ((forge, forge.issue_address(url)) for forge in FORGES) if isinstance(url, str) else ()
    return next(((forge, address) for forge, address in found if address is not None), None)
