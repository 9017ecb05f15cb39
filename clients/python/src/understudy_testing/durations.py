"""Durations and times, as the control API writes them."""

from __future__ import annotations

import re
from datetime import datetime, timedelta, timezone
from typing import Union

from typing_extensions import TypeAlias

Duration: TypeAlias = Union[str, timedelta]
"""`300ms`, `5s`, `15m`, `25h`, `14d`, or a timedelta."""

Time: TypeAlias = Union[str, datetime]
"""Such as `2030-01-01T09:00:00Z`, or a datetime. A datetime without a zone is in UTC."""

UNITS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}
DEFAULT_WAIT = 4.0


def duration_text(duration: Duration) -> str:
    if isinstance(duration, str):
        return duration
    # Callers without a type checker pass a number or a dict.
    if not isinstance(duration, timedelta):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise TypeError(f'a duration is text such as "25h", or a timedelta, not {duration!r}')
    return f"{duration // timedelta(milliseconds=1)}ms"


def seconds_of(duration: Duration | None) -> float:
    """How long a waiting call may take. The service refuses a text that is no duration."""
    if duration is None:
        return DEFAULT_WAIT
    if isinstance(duration, timedelta):
        return duration.total_seconds()
    match = re.fullmatch(r"(\d+(?:\.\d+)?)(ms|s|m|h|d)", duration)
    return float(match[1]) * UNITS[match[2]] if match else 0


def time_text(time: Time) -> str:
    if isinstance(time, str):
        return time
    zoned = time if time.tzinfo else time.replace(tzinfo=timezone.utc)
    return zoned.astimezone(timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")
