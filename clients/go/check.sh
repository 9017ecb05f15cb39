#!/bin/sh
# Runs gofmt, go vet and the tests against the built service, and staticcheck if it is installed. It exits with 77 where
# Go is missing or its modules cannot be downloaded. Arguments go to `go test`.
set -eu
cd "$(dirname "$0")"

skip() {
  echo "$1"
  exit 77
}

command -v go >/dev/null || skip 'no Go toolchain'
unformatted=$(gofmt -l .)
[ -z "$unformatted" ] || { echo "gofmt has changes for: $unformatted"; exit 1; }
for module in . understudycontainer; do
  cd "$module"
  go mod download || skip 'the modules of go.sum cannot be downloaded'
  go mod tidy -diff
  go vet ./...
  ! command -v staticcheck >/dev/null || staticcheck ./...
  go test -count=1 "$@" ./...
done
