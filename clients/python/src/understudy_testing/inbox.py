"""Webhooks without a server."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from standardwebhooks.webhooks import Webhook

from understudy_testing.durations import Duration
from understudy_testing.types import WebhookDelivery, WebhookEndpointRow

if TYPE_CHECKING:
    from understudy_testing.webhooks import WebhookControl

__tracebackhide__ = True

MOST = 1000


@dataclass(frozen=True)
class ReceivedWebhook:
    """A delivery as a receiver would see it."""

    id: str
    """The `webhook-id`: the same for every attempt."""
    type: str
    payload: dict[str, Any]
    body: str
    """The exact text that was signed."""
    headers: dict[str, str]
    """`webhook-id`, `webhook-timestamp` and `webhook-signature`, as verifiers take them."""
    delivery: WebhookDelivery

    def verify(self, secret: str) -> None:
        """Raises a WebhookVerificationError of the package `standardwebhooks` if the signature is not valid."""
        Webhook(secret).verify(self.body, self.headers)


class Inbox:
    """An endpoint that stores its deliveries instead of sending them. `next` returns each one once, in order."""

    def __init__(self, webhooks: WebhookControl, endpoint: WebhookEndpointRow) -> None:
        self._webhooks = webhooks
        self._returned: set[str] = set()
        self.id = endpoint["id"]
        self.secret = endpoint["secret"]
        """The secret that signs deliveries."""

    def next(self, type: str | None = None, *, timeout: Duration | None = None) -> ReceivedWebhook:  # noqa: A002
        """The first delivery of the type, or of a glob of types, that was not returned before.

        Waits up to `timeout` (4s) for one, then raises a WaitError.
        """
        known = [each for each in self._deliveries(type) if each["id"] in self._returned]
        deliveries = self._webhooks.wait_for_deliveries(
            endpoint=self.id, type=type, status="SUCCESS", count=len(known) + 1, timeout=timeout
        )
        delivery = next(each for each in deliveries if each["id"] not in self._returned)
        self._returned.add(delivery["id"])
        return _received(delivery)

    def all(self, type: str | None = None) -> list[ReceivedWebhook]:  # noqa: A002
        """Every delivery, oldest first, whether `next` returned it or not."""
        return [_received(each) for each in self._deliveries(type)]

    def clear(self) -> None:
        """Deletes the deliveries."""
        self._webhooks.clear(endpoint=self.id)
        self._returned.clear()

    def rotate_secret(self, *, secret: str | None = None, overlap: Duration | None = None) -> str:
        """Makes a new secret, as `webhooks.rotate_secret` does."""
        self.secret = self._webhooks.rotate_secret(self.id, secret=secret, overlap=overlap)["secret"]
        return self.secret

    def remove(self) -> None:
        """Removes the endpoint and its deliveries."""
        self._webhooks.remove_endpoint(self.id)

    def _deliveries(self, event_type: str | None) -> list[WebhookDelivery]:
        return self._webhooks.deliveries(endpoint=self.id, type=event_type, status="SUCCESS", limit=MOST)


def _received(delivery: WebhookDelivery) -> ReceivedWebhook:
    attempts = delivery["attempts"]
    return ReceivedWebhook(
        id=delivery["id"],
        type=delivery["event_type"],
        payload=delivery.get("payload", {}),
        body=delivery.get("body", ""),
        headers=attempts[-1].get("headers", {}) if attempts else {},
        delivery=delivery,
    )
