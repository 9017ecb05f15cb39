#!/bin/sh
# Builds and installs the package in a virtual environment, and runs ruff, mypy, pyright and the tests against the built service,
# then the tests of the examples for frameworks. It exits with 77 where Python or its virtual environments are missing.
# Arguments go to pytest; with arguments, the examples are left out.
set -eu
cd "$(dirname "$0")"

skip() {
  echo "$1"
  exit 77
}

# The package works with 3.9, the official SDK and the generator of the types do not.
python3 -c 'import sys; sys.exit(sys.version_info < (3, 10))' 2>/dev/null || skip 'python3, 3.10 or later, is missing'
python3 -c 'import venv, ensurepip' 2>/dev/null || skip 'python3 has no venv or no pip'

[ -x .venv/bin/python ] || python3 -m venv .venv
PATH="$PWD/.venv/bin:$PATH"
export PIP_DISABLE_PIP_VERSION_CHECK=1
examples=../../examples
pip install --quiet --no-compile --requirement requirements.txt --requirement $examples/fastapi/requirements.txt \
  --requirement $examples/flask/requirements.txt --requirement $examples/django/requirements.txt
pip install --quiet --no-build-isolation --no-deps --force-reinstall .
pip check >/dev/null

ruff format --check --quiet . $examples/fastapi $examples/flask $examples/django
ruff check --quiet . $examples/fastapi $examples/flask $examples/django
mypy
pyright
pytest --quiet "$@"
[ $# -eq 0 ] || exit 0
for framework in fastapi flask django; do
  cd "$examples/$framework"
  pytest --quiet
  cd - >/dev/null
done
