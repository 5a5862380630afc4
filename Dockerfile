# Compiles the sources.
FROM node:24.19.0-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --ignore-scripts
COPY tsconfig.json ./
COPY scripts/build-explorer.ts ./scripts/
COPY src ./src
RUN npm run build

# Installs what the compiled program needs, and nothing else.
FROM node:24.19.0-bookworm-slim AS dependencies
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --omit=dev --ignore-scripts

# Neither Java nor Maven is in this image: it expects a Neo4j server at NEO4J_URI.
FROM node:24.19.0-bookworm-slim
ENV NODE_ENV=production \
    HOST=0.0.0.0 \
    PORT=8585 \
    TRIBUTARY_HOME=/var/lib/tributary
WORKDIR /app
RUN install -d -o node -g node -m 0700 /var/lib/tributary
COPY --from=dependencies /app/node_modules ./node_modules
COPY --from=build /app/dist ./dist
COPY package.json LICENSE ./
COPY cypher ./cypher
COPY seeds ./seeds
COPY src/http/docs ./src/http/docs
USER node
VOLUME ["/var/lib/tributary"]
EXPOSE 8585
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s --retries=6 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/v1/system/ready`).then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "dist/cli/tributary.js"]
CMD ["serve"]
