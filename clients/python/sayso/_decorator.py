"""Functions that need an approval: how a call is shown, and run."""

from __future__ import annotations

import functools
import inspect
import re
import string
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Protocol, overload

from ._errors import Denied

if TYPE_CHECKING:
    from collections.abc import Coroutine
    from typing import ParamSpec, TypeVar

    from ._client import Client

    _P = ParamSpec("_P")
    _R = TypeVar("_R")


class Raising(Protocol):
    """A decorator that leaves the type of a function as it is."""

    def __call__(self, function: Callable[_P, _R], /) -> Callable[_P, _R]:
        """Gives the function that runs after an approval."""


class Returning(Protocol):
    """A decorator whose function may have a refusal as its result."""

    @overload
    def __call__(
        self, function: Callable[_P, Coroutine[Any, Any, _R]], /
    ) -> Callable[_P, Coroutine[Any, Any, _R | str]]: ...

    @overload
    def __call__(
        self, function: Callable[_P, _R], /
    ) -> Callable[_P, _R | str]: ...


def needing_approval(
    client: Callable[[], Client],
    function: Callable[..., Any] | None,
    options: Mapping[str, Any],
) -> Any:
    """The function that asks first, or where none is given the decorator."""
    if function is None:
        return functools.partial(needing_approval, client, options=options)
    more = dict(options)
    returns = more.pop("refusal", "raise")
    if returns not in ("raise", "return"):
        raise ValueError('refusal is "raise" or "return".')
    asking = _Asking(function, more)

    @functools.wraps(function)
    def blocking(*args: Any, **named: Any) -> Any:
        bound, call = asking.of(args, named)
        try:
            asking.bind(bound, client().approve_call(**call))
        except Denied as no:
            if returns == "raise":
                raise
            return str(no)
        return function(*bound.args, **bound.kwargs)

    @functools.wraps(function)
    async def waiting(*args: Any, **named: Any) -> Any:
        bound, call = asking.of(args, named)
        try:
            asking.bind(bound, await client().aapprove_call(**call))
        except Denied as no:
            if returns == "raise":
                raise
            return str(no)
        return await function(*bound.args, **bound.kwargs)

    return waiting if inspect.iscoroutinefunction(function) else blocking


class _Asking:
    """A function as the calls that are asked about.

    What can never be asked is refused here, and not after a yes.
    """

    def __init__(
        self, function: Callable[..., Any], options: dict[str, Any]
    ) -> None:
        if inspect.isclass(function) or not callable(function):
            raise TypeError(
                "require_approval needs a function or a method. It stands "
                "below @classmethod, @staticmethod and @property."
            )
        if inspect.isgeneratorfunction(function) or inspect.isasyncgenfunction(
            function
        ):
            raise TypeError(
                "A generator runs after its call has returned. Decorate a "
                "function that returns its result."
            )
        self.signature = inspect.signature(function)
        self.tool = options.pop("name", "") or function.__qualname__
        self.once = options.pop("once", None)
        if self.once is not None and not callable(self.once):
            raise TypeError("once is a function of the arguments.")
        self.target = options.pop("target", "")
        self.scope = options.pop("scope", "")
        self.options = options
        self.itself = _itself(function, self.signature)
        for template in (self.target, self.scope):
            self._check(template)

    def _check(self, template: str) -> None:
        """A template has no other names than those of the arguments."""
        parameters = self.signature.parameters.values()
        if any(one.kind is one.VAR_KEYWORD for one in parameters):
            return
        names = {one.name for one in parameters} - {self.itself}
        for _, field, _, _ in string.Formatter().parse(template):
            name = re.split(r"[.\[]", field)[0] if field is not None else None
            if name is not None and name not in names:
                raise TypeError(f"{template!r}: {name!r} is no argument.")

    def of(
        self, args: tuple[Any, ...], named: dict[str, Any]
    ) -> tuple[inspect.BoundArguments, dict[str, Any]]:
        """What a call gives to the function, and how it is asked about."""
        bound = self.signature.bind(*args, **named)
        bound.apply_defaults()
        shown = self._shown(bound)
        return bound, {
            "tool": self.tool,
            "args": shown,
            "target": self.target.format(**shown),
            "scope": self.scope.format(**shown),
            "once": self.once(**shown) if self.once else None,
            **self.options,
        }

    def _shown(self, bound: inspect.BoundArguments) -> dict[str, Any]:
        """The arguments by their names, as a person is shown them."""
        given = dict(bound.arguments)
        given.pop(self.itself, None)
        for one in self.signature.parameters.values():
            if one.kind is one.VAR_KEYWORD:
                more = given.pop(one.name)
                if given.keys() & more.keys():
                    raise TypeError("Two arguments have the same name.")
                given.update(more)
            elif one.kind is one.VAR_POSITIONAL:
                given[one.name] = list(given[one.name])
        return given

    def bind(
        self, bound: inspect.BoundArguments, approved: Mapping[str, Any]
    ) -> None:
        """Gives the function what was approved, and nothing else."""
        rest = dict(approved)
        for one in self.signature.parameters.values():
            if one.name == self.itself:
                continue
            if one.kind is one.VAR_KEYWORD:
                bound.arguments[one.name], rest = rest, {}
            elif one.name not in rest:
                raise TypeError(
                    f"{one.name} is no longer among the arguments that were "
                    "approved."
                )
            elif one.kind is one.VAR_POSITIONAL:
                bound.arguments[one.name] = tuple(rest.pop(one.name))
            else:
                bound.arguments[one.name] = rest.pop(one.name)
        if rest:
            raise TypeError(f"The function does not take {', '.join(rest)}.")


def _itself(function: Callable[..., Any], signature: inspect.Signature) -> str:
    """The name of a method's own object, which is no argument of the call."""
    first = next(iter(signature.parameters), "")
    outer = function.__qualname__.rpartition(".")[0]
    in_class = bool(outer) and not outer.endswith("<locals>")
    return first if in_class and first in ("self", "cls") else ""
