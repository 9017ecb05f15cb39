#!/usr/bin/env bash
# Go: calls the simulator with the packages that the official SDK uses, over plain http (gRPC in HTTP/1.1)
# and over TLS (HTTP/2). They are not the SDK itself, so this never exits with 0: it exits with 1 when a call
# fails, otherwise with 77.
set -uo pipefail
cd "$(dirname "$0")"
SDK=github.com/scalekit-inc/scalekit-sdk-go/v2@v2.6.0

if ! command -v go >/dev/null; then
  echo "no Go toolchain"
  exit 77
fi
go mod download || { echo "the modules of go.sum can't be downloaded"; exit 77; }

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
export UNDERSTUDY_DESCRIPTORS=$folder/rpc.binpb
node ../stack/descriptors.mjs "$UNDERSTUDY_DESCRIPTORS" || exit 1
SSL_CERT_FILE=$UNDERSTUDY_CA go test -count=1 ./... || exit 1

if go mod download "$SDK" >"$folder/sdk.log" 2>&1; then
  echo "the SDK's stack works; for the SDK itself there is no program"
else
  echo "the SDK's stack works; the SDK itself can't be resolved: $(tail -1 "$folder/sdk.log" | xargs)"
fi
exit 77
