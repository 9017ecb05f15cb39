# Bundles the service. The bundle is the same for every architecture, so this stage runs on the builder's own.
FROM --platform=$BUILDPLATFORM node:24.21.0-bookworm-slim AS build
WORKDIR /build
COPY package.json package-lock.json ./
RUN --mount=type=cache,target=/root/.npm npm ci --ignore-scripts
COPY LICENSE redocly.yaml tsconfig.json ./
COPY openapi openapi
COPY evidence evidence
COPY scripts scripts
COPY src src
COPY fixtures fixtures
COPY probes probes
COPY scenarios scenarios
COPY docs docs
# The service needs neither source maps nor declarations.
RUN npm run build && find dist \( -name '*.cache' -o -name '*.map' -o -name '*.d.*ts' \) -delete

# Alpine's own package of Node makes an image of half the size that node:24-alpine has, because it has no npm.
FROM alpine:3.24 AS runtime
RUN apk add --no-cache 'nodejs=~24'
WORKDIR /app
COPY LICENSE package.json ./
COPY fixtures fixtures
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
# A volume that is made here belongs to whom the folder belongs to.
RUN mkdir /data && chown 1000:1000 /data
VOLUME /data
ENV UNDERSTUDY_HOST=0.0.0.0 UNDERSTUDY_DATA=/data
EXPOSE 8080
# By number, so that a cluster can see that it is not root.
USER 1000:1000
STOPSIGNAL SIGTERM
# wget costs about 5 ms of processor time for each probe, Node 140 ms. Node knows flags and the configuration file.
HEALTHCHECK --interval=5s --timeout=4s --start-period=5s CMD wget -q -T 2 -O /dev/null "http://127.0.0.1:${UNDERSTUDY_PORT:-${PORT:-8080}}/_control/v1/health" 2>/dev/null || exec node /app/dist/understudy.js healthcheck
ENTRYPOINT ["node", "/app/dist/understudy.js"]
CMD ["serve"]
