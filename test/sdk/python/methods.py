"""Which method of the SDK calls an operation, with its parameters: evidence/methods/sdk-python.yaml. `--write` writes it."""

import inspect
import re
import sys
from importlib.metadata import version
from pathlib import Path

import scalekit

FILE = Path(__file__).parents[3] / "evidence/methods/sdk-python.yaml"
HEAD = "# `python test/sdk/python/methods.py --write` writes this file; the tests of the SDK for Python compare it.\n"


def found() -> str:
    methods: dict[str, str] = {}
    for part, client in _parts().items():
        stub = re.search(r"self\.\w+ = (\w+)Stub\(", inspect.getsource(client))
        for name, method in inspect.getmembers(client, inspect.isfunction) if stub else []:
            rpc = re.search(r"self\.(?:\w+_service|_stub)\.(\w+)", inspect.getsource(method))
            if name.startswith("_") or not rpc:
                continue
            parameters = list(inspect.signature(method).parameters.values())[1:]
            call = f"{part}.{name}({', '.join(map(_named, parameters))})"
            # Several methods may call one RPC: the one of the same name comes first.
            operation = f"{stub[1]}_{rpc[1]}"
            if operation not in methods or name == re.sub(r"(?<!^)(?=[A-Z])", "_", rpc[1]).lower():
                methods[operation] = call
    lines = [f"  {operation}: {call}\n" for operation, call in sorted(methods.items())]
    return f"{HEAD}version: {version('scalekit-sdk-python')}\nmethods:\n{''.join(lines)}"


def _parts() -> dict[str, type]:
    """The classes of the client's attributes."""
    source = inspect.getsource(scalekit.ScalekitClient.__init__)
    module = inspect.getmodule(scalekit.ScalekitClient)
    return {part: getattr(module, name) for part, name in re.findall(r"self\.(\w+) = (\w+Client)\(", source)}


def _named(parameter: inspect.Parameter) -> str:
    return parameter.name + ("" if parameter.default is parameter.empty else "?")


if __name__ == "__main__":
    if "--write" in sys.argv:
        FILE.write_text(found())
    elif FILE.read_text() != found():
        sys.exit(f"{FILE.name} is not of this version of the SDK")
