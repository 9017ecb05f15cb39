"""The webhook endpoints and deliveries of an environment."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

from understudy_testing._transport import Transport, check_text, path_of
from understudy_testing.durations import Duration, duration_text
from understudy_testing.inbox import Inbox
from understudy_testing.types import TriggeredEvent, WebhookDelivery, WebhookDeliveryStatus, WebhookEndpointRow

__tracebackhide__ = True


class WebhookControl:
    """Filters of deliveries: `endpoint` is an id, an address or a glob, `type` an event type or a glob."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def inbox(self, event_types: Sequence[str] | None = None, *, secret: str | None = None) -> Inbox:
        """Creates an endpoint that stores new events, so that a test needs no server.

        `event_types` are such as `user.login` or `user.*`; all events if omitted.
        """
        body = _settings(event_types, secret=secret, kind="inbox")
        endpoint = self._transport.call("POST", "/webhooks/endpoints", body=body)
        return Inbox(self, cast(WebhookEndpointRow, endpoint))

    def add_endpoint(
        self,
        url: str,
        *,
        event_types: Sequence[str] | None = None,
        secret: str | None = None,
        description: str | None = None,
        enabled: bool | None = None,
        max_in_flight: int | None = None,
    ) -> WebhookEndpointRow:
        """Sends new events to an address. The receiver checks signatures with the endpoint's `secret`."""
        check_text("webhooks.add_endpoint(url, *, event_types, …)", "url", url)
        body = _settings(
            event_types,
            url=url,
            secret=secret,
            description=description,
            enabled=enabled,
            max_in_flight=max_in_flight,
        )
        return cast(WebhookEndpointRow, self._transport.call("POST", "/webhooks/endpoints", body=body))

    def endpoints(self) -> list[WebhookEndpointRow]:
        """Oldest first."""
        found = self._transport.call("GET", "/webhooks/endpoints")
        return cast(list[WebhookEndpointRow], found["endpoints"])

    def endpoint(self, endpoint_id: str) -> WebhookEndpointRow:
        path = f"/webhooks/endpoints{path_of(endpoint_id)}"
        return cast(WebhookEndpointRow, self._transport.call("GET", path))

    def update_endpoint(
        self,
        endpoint_id: str,
        *,
        url: str | None = None,
        event_types: Sequence[str] | None = None,
        description: str | None = None,
        enabled: bool | None = None,
        max_in_flight: int | None = None,
    ) -> WebhookEndpointRow:
        """Changes the given settings. `event_types=["*"]` removes the filter."""
        body = _settings(event_types, url=url, description=description, enabled=enabled, max_in_flight=max_in_flight)
        path = f"/webhooks/endpoints{path_of(endpoint_id)}"
        return cast(WebhookEndpointRow, self._transport.call("PATCH", path, body=body))

    def remove_endpoint(self, endpoint_id: str) -> None:
        """Removes an endpoint and its deliveries."""
        self._transport.call("DELETE", f"/webhooks/endpoints{path_of(endpoint_id)}")

    def rotate_secret(
        self, endpoint_id: str, *, secret: str | None = None, overlap: Duration | None = None
    ) -> WebhookEndpointRow:
        """Makes a new secret. The old one also signs until `overlap` (24h) has passed on the environment's clock."""
        body = _settings(None, secret=secret, overlap=None if overlap is None else duration_text(overlap))
        path = f"/webhooks/endpoints{path_of(endpoint_id, 'rotate')}"
        return cast(WebhookEndpointRow, self._transport.call("POST", path, body=body))

    def trigger(
        self,
        type: str,  # noqa: A002
        *,
        data: Mapping[str, Any] | None = None,
        like: str | None = None,
        organization_id: str | None = None,
    ) -> TriggeredEvent:
        """Emits an event with sample data, into which `data` is merged (RFC 7396). No row changes.

        `like` names the type whose sample data an event of another type has.
        """
        check_text("webhooks.trigger(type, *, data, like, organization_id)", "type", type)
        body = _settings(None, type=type, data=data, like=like, organization_id=organization_id)
        return cast(TriggeredEvent, self._transport.call("POST", "/webhooks/events", body=body))

    def deliveries(
        self,
        *,
        endpoint: str | None = None,
        type: str | None = None,  # noqa: A002
        status: WebhookDeliveryStatus | None = None,
        since: str | None = None,
        limit: int | None = None,
    ) -> list[WebhookDelivery]:
        """Oldest first."""
        query = {"endpoint": endpoint, "type": type, "status": status, "since": since, "limit": limit}
        found = self._transport.call("GET", "/webhooks/deliveries", query=query)
        return cast(list[WebhookDelivery], found["deliveries"])

    def delivery(self, delivery_id: str) -> WebhookDelivery:
        path = f"/webhooks/deliveries{path_of(delivery_id)}"
        return cast(WebhookDelivery, self._transport.call("GET", path))

    def wait_for_deliveries(
        self,
        *,
        id: str | None = None,  # noqa: A002
        endpoint: str | None = None,
        type: str | None = None,  # noqa: A002
        status: WebhookDeliveryStatus | None = None,
        since: str | None = None,
        count: int | None = None,
        timeout: Duration | None = None,
    ) -> list[WebhookDelivery]:
        """Waits up to `timeout` (4s) until `count` (1) deliveries match, including earlier ones, and returns them.

        Without a `status` only finished deliveries match. Raises a WaitError with the nearest deliveries.
        """
        query = {
            "id": id,
            "endpoint": endpoint,
            "type": type,
            "status": status,
            "since": since,
            "count": count,
        }
        found = self._transport.wait("/webhooks/deliveries/wait", query, timeout)
        return cast(list[WebhookDelivery], found["deliveries"])

    def redeliver(self, delivery_id: str, *, timeout: Duration | None = None) -> WebhookDelivery:
        """Sends a delivery again at once, with the same `webhook-id`. Returns when the attempt is finished."""
        self._transport.call("POST", f"/webhooks/deliveries{path_of(delivery_id, 'redeliver')}")
        return self.wait_for_deliveries(id=delivery_id, timeout=timeout)[-1]

    def clear(self, *, endpoint: str | None = None) -> None:
        """Deletes deliveries: all, or those of one endpoint."""
        self._transport.call("DELETE", "/webhooks/deliveries", query={"endpoint": endpoint})


def _settings(event_types: Sequence[str] | None, **settings: Any) -> dict[str, Any]:
    named = {**settings, "event_types": None if event_types is None else list(event_types)}
    return {name: value for name, value in named.items() if value is not None}
