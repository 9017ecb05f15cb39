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

maven() {
  mvn --batch-mode "$@" >"$log" 2>&1 || {
    if ! grep -q 'T E S T S' "$log" &&
      grep -qE 'Could not (resolve|transfer|find)|could not be resolved|release version [0-9]+ not supported' "$log"; then
      grep -m1 ERROR "$log" | cut -c1-200
      skip 'Maven cannot resolve the packages of pom.xml, or the JDK is too old'
    fi
    cat "$log"
    exit 1
  }
  grep 'Tests run:' "$log" | tail -1
}

maven install "$@"
# JUnit 6 and Spring Boot need Java 17. A deprecated method of JUnit fails the compilation.
if java -version 2>&1 | grep -qE 'version "(1[7-9]|[2-9][0-9])'; then
  maven test -Dmaven.compiler.release=17 -Djunit.version=6.0.1 -Djunit.platform.version=6.0.1 -Dtest=ExtensionTest
  cd spring
  maven test "-Dunderstudy.command=node $(cd ../../.. && pwd)/dist/understudy.js"
fi
