"""What the client raises."""

from __future__ import annotations

from typing import Any

from understudy_testing.types import NearMiss


class UnderstudyError(Exception):
    """Every error of this package."""


class StartError(UnderstudyError):
    """Understudy could not be started, or it ended with an error."""


class NotReachableError(UnderstudyError):
    """No Understudy answers: nothing listens there, the call took too long, or the connection broke."""


class ControlError(UnderstudyError):
    """The control API refuses a call. The message says what is wrong, field by field."""

    def __init__(self, message: str, call: str, status: int, body: dict[str, Any]) -> None:
        self.status = status
        self.body = body
        self.details: list[dict[str, Any]] = body.get("details") or []
        self.error_code: str | None = self.details[0].get("error_code") if self.details else None
        origin = f"{status} {self.error_code}" if self.error_code else str(status)
        super().__init__(f"{message}\n  ({origin} from {call})")

    @property
    def violations(self) -> list[dict[str, Any]]:
        """The rules that the call broke, each with `field`, `description` and `constraint`."""
        return violations_in(self.body)


class WaitError(ControlError, AssertionError):
    """Nothing that matches came in time. The message shows what came instead."""


class VerificationError(ControlError, AssertionError):
    """More or fewer calls match than expected. The message shows the nearest calls."""

    @property
    def count(self) -> int:
        """How many calls match."""
        return int(self.body["count"])

    @property
    def nearest(self) -> list[NearMiss]:
        """The nearest calls, with the fields that differ."""
        nearest: list[NearMiss] = self.body["nearest"]
        return nearest


def violations_in(body: dict[str, Any]) -> list[dict[str, Any]]:
    details: list[dict[str, Any]] = body.get("details") or []
    infos: list[dict[str, Any]] = [detail.get("validation_error_info") or {} for detail in details]
    found: list[list[dict[str, Any]]] = [info.get("field_violations") or [] for info in infos]
    return [violation for violations in found for violation in violations]
