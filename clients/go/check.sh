#!/bin/sh
# Runs gofmt, go vet, staticcheck and the tests against the built service, for the client and for the example with net/http.
# It exits with 77 where Go is missing or its modules cannot be downloaded. Arguments go to `go test`.
set -eu
cd "$(dirname "$0")"

skip() {
  echo "$1"
  exit 77
}

command -v go >/dev/null || skip 'no Go toolchain'
example=$(cd ../../examples/net-http && pwd)
unformatted=$(gofmt -l . "$example")
[ -z "$unformatted" ] || { echo "gofmt has changes for: $unformatted"; exit 1; }
staticcheck=v0.8.2
race=
! command -v gcc >/dev/null || race=-race
for module in . understudycontainer "$example"; do
  cd "$module"
  case $(go list -m 2>&1) in
    *'requires go >= '*) echo "$module needs a newer Go"; cd - >/dev/null; continue ;;
  esac
  go mod download || skip 'the modules of go.sum cannot be downloaded'
  go mod tidy -diff
  go vet ./...
  if go mod download honnef.co/go/tools@$staticcheck 2>/dev/null; then
    go run "honnef.co/go/tools/cmd/staticcheck@$staticcheck" ./...
  fi
  # The race detector needs a C compiler.
  go test -count=1 $race "$@" ./...
done
