#!/bin/sh
# Runs the published SDK for Python, unmodified, against the simulator that the environment variables name.
# It exits with 77 where Python, venv or pip is missing. Arguments: the areas to run; all by default.
# UNDERSTUDY_PYTHON is a Python that has the requirements already: nothing is installed then.
set -eu
here=$(cd "$(dirname "$0")" && pwd)

skip() {
  echo "$1"
  exit 77
}

python3 -c 'import sys; sys.exit(sys.version_info < (3, 10))' 2>/dev/null || skip 'python3, 3.10 or later, is not there'
python3 -c 'import venv, ensurepip' 2>/dev/null || skip 'python3 has no venv or no pip'

if [ -n "${UNDERSTUDY_PYTHON:-}" ]; then
  python=$UNDERSTUDY_PYTHON
else
  folder=$(mktemp -d)
  trap 'rm -rf "$folder"' EXIT
  python3 -m venv "$folder/venv"
  python=$folder/venv/bin/python
  "$python" -m pip install --quiet --disable-pip-version-check --requirement "$here/requirements.txt"
fi

export GRPC_DEFAULT_SSL_ROOTS_FILE_PATH="$UNDERSTUDY_CA" REQUESTS_CA_BUNDLE="$UNDERSTUDY_CA"
export PYTHONDONTWRITEBYTECODE=1
"$python" "$here/methods.py"
"$python" "$here/main.py" "$@"
