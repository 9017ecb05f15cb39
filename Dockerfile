FROM node:24-slim AS build
WORKDIR /build
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts
COPY redocly.yaml tsconfig.json ./
COPY openapi openapi
COPY scripts scripts
COPY src src
COPY fixtures fixtures
COPY scenarios scenarios
COPY docs docs
# The maps lead to sources that the image does not have.
RUN npm run build && rm dist/*.map

FROM node:24-slim
WORKDIR /app
COPY --from=build /build/package.json ./
COPY --from=build /build/dist dist
COPY --from=build /build/fixtures fixtures
COPY --from=build /build/scenarios scenarios
# A volume that is made here belongs to whom the folder belongs to.
RUN mkdir /data && chown node:node /data
VOLUME /data
ENV UNDERSTUDY_HOST=0.0.0.0 UNDERSTUDY_DATA=/data
EXPOSE 8080
# By number, so that a cluster can see that it is not root.
USER 1000:1000
HEALTHCHECK --interval=5s --timeout=4s --start-period=5s CMD wget -q -T 2 -O /dev/null "http://127.0.0.1:${UNDERSTUDY_PORT:-${PORT:-8080}}/_control/v1/health" 2>/dev/null || exec node /app/dist/understudy.js healthcheck
ENTRYPOINT ["node", "/app/dist/understudy.js"]
CMD ["serve"]
