"""The scenarios of an environment: simulated failures and states."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from understudy_testing._transport import Transport, path_of
from understudy_testing.types import LoadedScenario, LoadedScenarioId, ScenarioList

__tracebackhide__ = True


class ScenarioControl:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def load(self, scenario: str | Mapping[str, Any], /, **params: Any) -> LoadedScenarioId:
        """Loads a scenario by name, with parameters, or a scenario as a dict, completely or not at all.

        Replaces a loaded scenario of the same name.
        """
        body: dict[str, Any] = {"name": scenario} if isinstance(scenario, str) else dict(scenario)
        if params:
            body["params"] = params
        return cast(LoadedScenarioId, self._transport.call("POST", "/scenarios", body=body))

    def load_yaml(self, text: str) -> LoadedScenarioId:
        """Loads the text of a scenario file."""
        return cast(LoadedScenarioId, self._transport.call("POST", "/scenarios", body=text))

    def list(self) -> ScenarioList:
        """The scenarios that can be loaded, and those that are loaded."""
        return cast(ScenarioList, self._transport.call("GET", "/scenarios"))

    def get(self, scenario: str) -> LoadedScenario:
        """A loaded scenario by id or name, with the counts of its rules."""
        return cast(LoadedScenario, self._transport.call("GET", f"/scenarios{path_of(scenario)}"))

    def unload(self, scenario: str | None = None) -> None:
        """Removes the rules of a scenario, or of all. The state that they set stays."""
        path = "/scenarios" if scenario is None else f"/scenarios{path_of(scenario)}"
        self._transport.call("DELETE", path)
