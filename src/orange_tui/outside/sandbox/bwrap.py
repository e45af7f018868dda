"""Bubblewrap's options for a plan, and whether it can run here at all."""

from __future__ import annotations

import os

from orange_tui.domain.errors import OrangeError
from orange_tui.outside.programs import run

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from orange_tui.domain.sandbox.rules import Mount
    from orange_tui.outside.sandbox.plan import SandboxPlan

PROGRAM = "bwrap"
INSTALL = "Install it: apt-get install bubblewrap, or dnf install bubblewrap"
_NAMESPACES = ("user", "pid", "ipc", "uts")
_ALWAYS = (
    *(word for name in _NAMESPACES for word in (f"--unshare-{name}",)),
    *("--unshare-cgroup-try", "--cap-drop", "ALL", "--die-with-parent"),
)
# Of /proc, what the kernel is told by: where Orange runs as root, its owner may write there without any capability.
_KERNEL_SETTINGS = ("sys", "sysrq-trigger", "irq", "bus")
_OWN_PLACES = (
    *("--dev", "/dev", "--proc", "/proc"),
    *(word for name in _KERNEL_SETTINGS for word in ("--ro-bind-try", f"/proc/{name}", f"/proc/{name}")),
)
_ROOM_BYTES = "4096"  # one page, which is taken: nothing can be written there
_PROBE_SECONDS = 20.0
_FORBIDDEN = (
    "this machine forbids user namespaces. On Ubuntu 24.04 and later an AppArmor profile for bwrap allows them"
    " (/etc/apparmor.d/bwrap); elsewhere `sysctl kernel.unprivileged_userns_clone=1`, or a container that permits them"
)


def bwrap_options(plan: SandboxPlan, open_file: Callable[[str], int | None]) -> list[str]:
    """Bubblewrap's options for a plan.

    `open_file` gives a descriptor to read a file from, of an empty one for no name, None where there is none.
    """
    words = [*_ALWAYS, *(() if plan.network else ("--unshare-net",))]
    for mount in plan.mounts:
        words += _words(mount, open_file)
        if mount.path == "/":
            words += _OWN_PLACES
    return [*words, "--chdir", plan.directory]


def _words(mount: Mount, open_file: Callable[[str], int | None]) -> tuple[str, ...]:
    path, source = mount.path, mount.source
    if mount.kind in {"copy", "blank", "full"}:
        return _file_words(mount, open_file(source))
    return {
        "read": ("--ro-bind-try", source, path),  # what is gone by now needs no protection
        "write": ("--bind", source, path),
        "empty": ("--perms", "0700", "--tmpfs", path),
        "link": ("--symlink", source, path),
        "lock": ("--remount-ro", path),
    }[mount.kind]


def _file_words(mount: Mount, descriptor: int | None) -> tuple[str, ...]:
    if descriptor is None:
        return ()
    if mount.kind == "copy":
        return "--perms", "0600", "--file", str(descriptor), mount.path
    if mount.kind == "blank":
        return "--ro-bind-data", str(descriptor), mount.path
    taken = ("--file", str(descriptor), os.path.join(mount.path, "taken"))
    return "--perms", "0700", "--size", _ROOM_BYTES, "--tmpfs", mount.path, *taken


def why_no_sandbox() -> str | None:
    """Why no sandbox can be made here, as a sentence with the way out; None where one can."""
    try:
        tried = run([PROGRAM, *_ALWAYS, "--ro-bind", "/", "/", *_OWN_PLACES, "--", "true"], timeout=_PROBE_SECONDS)
    except OrangeError:
        return f"bubblewrap is not installed. {INSTALL}"
    if tried.code == 0:
        return None
    said = tried.message.splitlines()[-1] if tried.message else f"it ended with {tried.code}"
    return f"bubblewrap cannot run here ({said}): {_FORBIDDEN}"
