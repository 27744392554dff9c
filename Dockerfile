# Every program of sendoff in one image: docker run IMAGE worker. deploy/compose/ runs all of them.
# The image needs glibc: Temporal's native library has no build for musl.
ARG NODE_IMAGE=node:24-bookworm-slim

FROM ${NODE_IMAGE} AS build
WORKDIR /sendoff
COPY package.json package-lock.json .npmrc ./
RUN npm ci --ignore-scripts
COPY tsconfig.json tsconfig.build.json bundle-workflows.js ./
COPY src src
RUN npm run build
# Left out: the tools; the packages of the local deployment, which `demo` and `dev` start in a clone; and of the native libraries
# the sources and the builds for other machines.
RUN npm pkg delete dependencies.@temporalio/testing dependencies.mailauth dependencies.smtp-server \
  && npm prune --omit=dev --ignore-scripts \
  && rm -r node_modules/@temporalio/core-bridge/sdk-core node_modules/@photostructure/sqlite/src \
  && find node_modules/@temporalio/core-bridge/releases -mindepth 1 -maxdepth 1 \
    ! -name "$(uname -m)-unknown-linux-gnu" -exec rm -r {} + \
  && find node_modules/@photostructure/sqlite/prebuilds -mindepth 1 -maxdepth 1 \
    ! -name "linux-$(node --print process.arch)" -exec rm -r {} +

FROM ${NODE_IMAGE}
# Temporal's native library trusts the certificates of the system, for TLS and Temporal Cloud. tini is process 1: a process 1
# ignores each signal without a handler, and a program has none while it starts.
RUN apt-get update \
  && apt-get install --yes --no-install-recommends ca-certificates tini \
  && rm -rf /var/lib/apt/lists/*
WORKDIR /sendoff
COPY bin bin
COPY deploy/health-check.js deploy/
COPY --from=build /sendoff/package.json ./
COPY --from=build /sendoff/node_modules node_modules
COPY --from=build /sendoff/dist dist
# The programs write to one folder only, and there only without PostgreSQL.
RUN ln -s /sendoff/bin/sendoff.js /usr/local/bin/sendoff && mkdir data && chown 1000:1000 data
ENV NODE_ENV=production
USER 1000:1000
EXPOSE 8025 8080
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s CMD ["node", "/sendoff/deploy/health-check.js", "/livez"]
ENTRYPOINT ["tini", "--", "sendoff"]
CMD ["--help"]

ARG VERSION
LABEL org.opencontainers.image.title="sendoff" \
  org.opencontainers.image.description="From an API key to a tenant's delivered first email, in one durable Temporal Workflow" \
  org.opencontainers.image.licenses="MIT" \
  org.opencontainers.image.version="${VERSION}"
