"""Finds the public methods of the SDK, and records which of them the tests call."""

import functools
import importlib
import inspect
import pkgutil
import threading

import scalekit
from scalekit.core import CoreClient

# `Client.method` of each call that a test made directly.
CALLS: set[str] = set()

_depth = threading.local()


def clients() -> list[type]:
    """The public classes of the SDK: `…Client`, and the groups of `actions`. CoreClient is internal."""
    modules = [scalekit.client, *_modules("scalekit"), *_modules("scalekit.actions")]
    found = {
        each
        for module in modules
        for name, each in inspect.getmembers(module, inspect.isclass)
        if each.__module__ == module.__name__ and (name.endswith("Client") or name.startswith("Action"))
    }
    return sorted(found - {CoreClient}, key=lambda each: each.__name__)


def _modules(package: str):
    path = importlib.import_module(package).__path__
    return [importlib.import_module(f"{package}.{each.name}") for each in pkgutil.iter_modules(path) if not each.ispkg]


def public_methods() -> set[str]:
    return {f"{client.__name__}.{name}" for client in clients() for name in _methods(client)}


def _methods(client: type) -> list[str]:
    return [
        name
        for name, member in vars(client).items()
        if not name.startswith("_") and (inspect.isfunction(member) or isinstance(member, staticmethod))
    ]


def record() -> None:
    """Starts to record calls from outside the SDK. The methods themselves do not change."""
    for client in clients():
        for name in _methods(client):
            member = vars(client)[name]
            label = f"{client.__name__}.{name}"
            if isinstance(member, staticmethod):
                setattr(client, name, staticmethod(_counted(label, member.__func__)))
            else:
                setattr(client, name, _counted(label, member))


def _counted(label: str, method):
    @functools.wraps(method)
    def counted(*args, **named):
        depth = getattr(_depth, "value", 0)
        if depth == 0:
            CALLS.add(label)
        _depth.value = depth + 1
        try:
            return method(*args, **named)
        finally:
            _depth.value = depth

    return counted
