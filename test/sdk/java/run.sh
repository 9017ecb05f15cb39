#!/usr/bin/env bash
# Java: calls the simulator with the packages that the official SDK uses, over TLS, and also on port 443,
# which the SDK always dials, if this user may listen there. They are not the SDK itself, so this never exits
# with 0: it exits with 1 when a call fails, otherwise with 77.
set -uo pipefail
cd "$(dirname "$0")"
SDK=com.scalekit:scalekit-sdk-java:2.3.0
DEPENDENCIES=org.apache.maven.plugins:maven-dependency-plugin:3.6.1

for tool in java javac keytool mvn; do
  command -v "$tool" >/dev/null || { echo "no $tool"; exit 77; }
done

folder=$(mktemp -d)
trap '[ -z "${second:-}" ] || kill "$second"; rm -rf "$folder"' EXIT
if ! mvn -q -B "$DEPENDENCIES:build-classpath" -Dmdep.outputFile="$folder/classpath" >"$folder/maven.log" 2>&1; then
  grep -m1 ERROR "$folder/maven.log"
  echo "the packages of pom.xml can't be resolved"
  exit 77
fi
classpath=$folder/classes:$(cat "$folder/classpath")
javac -Xlint:all,-path,-processing -Werror -d "$folder/classes" -cp "$classpath" ./*.java || exit 1
export UNDERSTUDY_DESCRIPTORS=$folder/rpc.binpb
node ../stack/descriptors.mjs "$UNDERSTUDY_DESCRIPTORS" || exit 1

# Java starts with the variables that `understudy env` prints for a second simulator, on the port that the
# SDK dials.
understudy=../../../dist/understudy.js
unset SCALEKIT_ENVIRONMENT_URL
node "$understudy" serve --memory --data "$folder/data" --port 443 --json >"$folder/second" 2>"$folder/why" &
second=$!
until [ -s "$folder/second" ] || ! kill -0 "$second" 2>/dev/null; do
  sleep 0.1
done
export JAVA_TOOL_OPTIONS="-Djavax.net.ssl.trustStore=$folder/ca.truststore -Djavax.net.ssl.trustStorePassword=changeit"
if [ -s "$folder/second" ]; then
  echo "a second simulator is on port 443"
  node "$understudy" env --sdk java --url http://localhost:443 --ca-file "$folder/ca.pem" >"$folder/env" || exit 1
  . "$folder/env"
else
  second=
  echo "not tried on port 443: $(tail -1 "$folder/why")"
fi
# Adds the certificate of the first simulator to the same trust store.
keytool -importcert -noprompt -alias first -file "$UNDERSTUDY_CA" -keystore "$folder/ca.truststore" -storepass changeit \
  >/dev/null 2>&1 || exit 1
java -cp "$classpath" Stack || exit 1

unset JAVA_TOOL_OPTIONS
if mvn -q -B "$DEPENDENCIES:get" -Dartifact="$SDK" -Dtransitive=false >"$folder/maven.log" 2>&1; then
  echo "the SDK's stack works; for the SDK itself there is no program"
else
  echo "the SDK's stack works; the SDK itself, $SDK, can't be resolved"
fi
exit 77
