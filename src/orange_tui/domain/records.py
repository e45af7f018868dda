"""Frozen records: what `dataclass(frozen=True)` is to a type checker, without its cost at start-up.

Importing `dataclasses` costs an agent's `orange task update` two thirds of the time Python itself needs
to start (it pulls in `inspect`, `ast` and `tokenize`), and agents run that command all day. A type
checker reads `@record` as a frozen dataclass; at run time these few lines do.
"""

from __future__ import annotations

from operator import itemgetter

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, TypeVar, dataclass_transform

    T = TypeVar("T")

    @dataclass_transform(frozen_default=True)
    def record(cls: type[T]) -> type[T]: ...

else:

    def record(cls):
        """Give a class with annotated attributes its constructor, equality and representation."""
        names = tuple(cls.__annotations__)
        known = frozenset(names)
        defaults = {name: cls.__dict__[name] for name in names if name in cls.__dict__}

        def __init__(self, *args, **kwargs):
            if len(args) == len(names) and not kwargs:  # the fast path, for the thousands of them in a long list
                self.__dict__.update(zip(names, args, strict=True))
                return
            if not args and len(kwargs) == len(names) and kwargs.keys() == known:
                self.__dict__.update(kwargs)
                return
            values = {**defaults, **dict(zip(names, args, strict=False)), **kwargs}
            twice = kwargs.keys() & names[: len(args)]
            if len(args) > len(names) or values.keys() != known or twice:
                wrong = sorted(known ^ values.keys() | twice) or f"{len(args)} values"
                raise TypeError(f"{cls.__name__}: missing, unknown or given twice: {wrong}")
            self.__dict__.update(values)

        cls.__init__ = __init__
        cls.__match_args__ = names
        cls.__setattr__ = _refuse
        cls.__delattr__ = _refuse
        cls.__eq__ = lambda self, other: self.__dict__ == other.__dict__ if type(other) is cls else NotImplemented
        values_of = itemgetter(*names) if names else len
        cls.__hash__ = lambda self: hash(values_of(self.__dict__))
        cls.__repr__ = lambda self: f"{cls.__name__}({', '.join(f'{n}={self.__dict__[n]!r}' for n in names)})"
        return cls

    def _refuse(self, name, *_value):
        raise AttributeError(f"{type(self).__name__}.{name}: a record does not change; use replace()")


def replace(instance: T, **changes: Any) -> T:
    """A copy with some attributes changed."""
    return type(instance)(**{**instance.__dict__, **changes})
