#!/bin/sh
# Checks the example for Kubernetes against the schemas of its API: the files, and where kubectl is installed, what it
# builds from them. It exits with 77 where Python or its virtual environments are missing.
set -eu
cd "$(dirname "$0")"

python3 -c 'import venv, ensurepip' 2>/dev/null || {
  echo 'python3, its venv or its pip is missing'
  exit 77
}

[ -x .venv/bin/python ] || python3 -m venv .venv
export PIP_DISABLE_PIP_VERSION_CHECK=1
.venv/bin/pip install --quiet --requirement requirements.txt

manifests=../../../examples/kubernetes
for file in "$manifests"/*.yaml; do
  [ "$(basename "$file")" = kustomization.yaml ] || .venv/bin/kubernetes-validate --strict "$file"
done

if command -v kubectl >/dev/null; then
  kubectl kustomize "$manifests" >.venv/built.yaml
  .venv/bin/kubernetes-validate --strict .venv/built.yaml
fi
