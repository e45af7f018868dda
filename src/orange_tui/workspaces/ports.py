"""Ports for a workspace: leased with it, tested when they are given, nobody else's in this home until it is free again.

A port that is given may be taken by any other program a moment later: the lease is among Orange's own workspaces, which
is where the same server is started several times.
"""

from __future__ import annotations

import errno

from orange_tui.domain.errors import Refused

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

_FIRST, _LAST = 20_000, 29_999  # below those that the system gives to whoever connects somewhere


def lease_ports(held: Sequence[int], count: int, taken: Collection[int]) -> tuple[int, ...]:
    """As many ports as are wanted, those that are held already among them; refused where there are not enough."""
    if len(held) >= count:
        return tuple(held)
    import random

    found = list(held)
    start = random.randrange(_FIRST, _LAST + 1)  # noqa: S311 - so that two homes seldom try the same one at once
    for port in (*range(start, _LAST + 1), *range(_FIRST, start)):
        if len(found) >= count:
            break
        if port not in taken and port not in found and is_free(port):
            found.append(port)
    if len(found) < count:
        raise Refused(
            f"{count} free ports are wanted, and between {_FIRST} and {_LAST} there are only {len(found)};"
            " end what listens there, or ask for fewer: `orange project update NAME --ports N`"
        )
    return tuple(found)


def is_free(port: int) -> bool:
    """Whether nobody listens on a port, on any address of this machine."""
    from socket import AF_INET, AF_INET6

    addresses = ((AF_INET, ""), (AF_INET, "127.0.0.1"), (AF_INET6, "::"))
    return all(_can_bind(family, address, port) for family, address in addresses)


def _can_bind(family: int, address: str, port: int) -> bool:
    import socket

    try:
        with socket.socket(family, socket.SOCK_STREAM) as test:
            if family == socket.AF_INET6:
                test.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
            test.bind((address, port))
    except OSError as problem:
        return problem.errno not in {errno.EADDRINUSE, errno.EACCES}  # another: there is no such address here
    return True


def port_environment(ports: Sequence[int]) -> dict[str, str]:
    """The variables by which agents and commands know the ports of their workspace."""
    if not ports:
        return {}
    return {"ORANGE_PORT": str(ports[0]), "ORANGE_PORTS": ",".join(map(str, ports))}
