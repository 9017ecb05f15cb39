#!/bin/sh
# Compiles the extension and runs its tests against the built service. It exits with 77 where Java or Maven are missing,
# or where Maven cannot resolve the packages. Arguments go to Maven.
set -eu
cd "$(dirname "$0")"

skip() {
  echo "$1"
  exit 77
}

for tool in java javac mvn; do
  command -v "$tool" >/dev/null || skip "$tool is missing"
done
log=$(mktemp)
trap 'rm -f "$log"' EXIT

mvn --batch-mode test "$@" >"$log" 2>&1 || {
  if ! grep -q 'T E S T S' "$log" &&
    grep -qE 'Could not (resolve|transfer|find)|could not be resolved|release version 11 not supported' "$log"; then
    grep -m1 ERROR "$log" | cut -c1-200
    skip 'Maven cannot resolve the packages of pom.xml, or the JDK is older than 11'
  fi
  cat "$log"
  exit 1
}
grep 'Tests run:' "$log" | tail -1
