"""Tests code that calls Scalekit, with Understudy, a simulator of the Scalekit API. Not affiliated with Scalekit."""

from understudy_testing.environment import Controls, Environment
from understudy_testing.errors import (
    ControlError,
    NotReachableError,
    StartError,
    UnderstudyError,
    VerificationError,
    WaitError,
)
from understudy_testing.inbox import Inbox, ReceivedWebhook
from understudy_testing.start import start
from understudy_testing.understudy import Understudy, connect

__all__ = [
    "ControlError",
    "Controls",
    "Environment",
    "Inbox",
    "NotReachableError",
    "ReceivedWebhook",
    "StartError",
    "Understudy",
    "UnderstudyError",
    "VerificationError",
    "WaitError",
    "connect",
    "start",
]
