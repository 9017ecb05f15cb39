"""What UNDERSTUDY_KEEP says about the environments of tests."""

from __future__ import annotations

import os

from understudy_testing.environment import Environment
from understudy_testing.errors import ControlError, UnderstudyError

NOT_FOUND = 404


def kept_tests() -> str:
    """`failed`, `all`, or an empty text."""
    said = os.environ.get("UNDERSTUDY_KEEP", "")
    if said not in ("", "failed", "all"):
        raise UnderstudyError(f"UNDERSTUDY_KEEP must be failed or all, not {said}")
    return said


def keep_failed(environment: Environment, test: str, *, is_joined: bool) -> str:
    """Keeps the environment of a failed test if wanted. Returns where its calls are, or a command that says more."""
    try:
        if kept_tests():
            environment.keep(test)
    except ControlError as error:
        if error.status != NOT_FOUND:  # Otherwise the test itself has dropped it.
            return f"the environment cannot be kept: {error}"
    except UnderstudyError as error:
        return f"the environment cannot be kept: {error}"
    if is_joined and environment.is_kept:
        return f"kept: {environment.http_url}/_control/#/{environment.name}/requests"
    return f"for more: npx understudy-server explain --environment {environment.name}"


def keep_passed(environment: Environment, test: str) -> None:
    """Keeps the environment of a test that has passed if that is wanted, unless another test has failed in it."""
    if kept_tests() != "all" or environment.is_kept:
        return
    try:
        environment.keep(test, "passed")
    except ControlError as error:
        if error.status != NOT_FOUND:
            raise
