# Each base can be another one. The first needs Node with npm in /usr/local, and the second the same C library, and bash.
ARG NODE_IMAGE=node:24.21.0-bookworm-slim
ARG RUNTIME_IMAGE=debian:bookworm-slim

# The manifests of the packages alone: `npm ci` runs again only if one of them has changed.
FROM --platform=$BUILDPLATFORM ${NODE_IMAGE} AS manifests
WORKDIR /build
COPY packages packages
RUN find packages -mindepth 2 -maxdepth 2 ! -name package.json -exec rm -r {} +

# Bundles the service. The bundle is the same for every architecture, so this stage runs on the builder's own.
FROM --platform=$BUILDPLATFORM ${NODE_IMAGE} AS build
WORKDIR /build
COPY package.json package-lock.json ./
COPY --from=manifests /build/packages packages
COPY src/package.json src/
RUN --mount=type=cache,target=/root/.npm npm ci --ignore-scripts
COPY LICENSE redocly.yaml tsconfig.json ./
COPY openapi openapi
COPY catalogue catalogue
COPY evidence evidence
COPY scripts scripts
COPY packages packages
COPY src src
COPY fixtures fixtures
COPY probes probes
COPY scenarios scenarios
COPY docs docs
# The service needs neither source maps nor declarations.
RUN npm run build && find dist \( -name '*.cache' -o -name '*.map' -o -name '*.d.*ts' \) -delete

# Node for the architecture of the image.
FROM ${NODE_IMAGE} AS node

# Node's program alone: the image has no npm.
FROM ${RUNTIME_IMAGE} AS runtime
COPY --from=node /usr/local/bin/node /usr/local/bin/node
COPY --from=node /usr/local/LICENSE /usr/local/share/doc/node/LICENSE
WORKDIR /app
COPY LICENSE package.json ./
COPY --from=build /build/fixtures fixtures
COPY probes probes
COPY scenarios scenarios
# Coding agents read the pages.
COPY docs/*.md docs/

# V8 rejects compiled code of another version of Node, so the Node of the image compiles it.
FROM runtime AS compiled
COPY --from=build /build/scripts/code-cache.mjs /build/
COPY --from=build /build/dist dist
RUN node /build/code-cache.mjs dist/understudy.js

FROM runtime
LABEL org.opencontainers.image.title="understudy" \
  org.opencontainers.image.description="Simulates the Scalekit API for tests and development. Not affiliated with Scalekit." \
  org.opencontainers.image.vendor="The Understudy authors" \
  org.opencontainers.image.licenses="Apache-2.0"
# THIRD-PARTY-NOTICES.txt is in dist/.
COPY --from=compiled /app/dist dist
# Both names of the command, for `docker exec`.
RUN ln -s /app/dist/understudy.js /usr/local/bin/understudy && ln -s understudy /usr/local/bin/understudy-server
# A volume that is made here belongs to whom the folder belongs to.
RUN mkdir /data && chown 1000:1000 /data
VOLUME /data
ENV UNDERSTUDY_HOST=0.0.0.0 UNDERSTUDY_DATA=/data
EXPOSE 8080
# By number, so that a cluster can see that it is not root.
USER 1000:1000
STOPSIGNAL SIGTERM
# bash costs about 5 ms of processor time for each probe, Node 140 ms. Node knows flags and the configuration file.
HEALTHCHECK --interval=5s --timeout=30s --start-period=5s CMD bash -c 'exec 3<>"/dev/tcp/127.0.0.1/$0" && printf "GET /_control/v1/health HTTP/1.0\r\n\r\n" >&3 && read -rt 10 _ status _ <&3 && [ "$status" = 200 ]' "${UNDERSTUDY_PORT:-${PORT:-8080}}" 2>/dev/null || exec node /app/dist/understudy.js healthcheck
ENTRYPOINT ["node", "/app/dist/understudy.js"]
CMD ["serve"]
