FROM node:24-slim AS build
WORKDIR /build
COPY package.json package-lock.json ./
# The build itself runs below, when the sources are there.
RUN npm ci --ignore-scripts && npm rebuild esbuild
COPY . .
RUN npm run build && rm -f dist/*.map dist/prove-fixtures.js

FROM node:24-slim
ENV UNDERSTUDY_HOST=0.0.0.0 UNDERSTUDY_DATA=/data NODE_ENV=production
WORKDIR /app
COPY --from=build /build/package.json ./
COPY --from=build /build/dist ./dist
COPY --from=build /build/fixtures ./fixtures
COPY --from=build /build/scenarios ./scenarios
RUN mkdir /data && chown node:node /data
USER node
VOLUME /data
EXPOSE 8080
HEALTHCHECK --interval=5s --timeout=4s --start-period=5s CMD ["node", "/app/dist/understudy.js", "healthcheck"]
ENTRYPOINT ["node", "/app/dist/understudy.js"]
CMD ["serve"]
