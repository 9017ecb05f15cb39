import { join } from 'node:path';
import { defineConfig } from 'vitest/config';

// eslint-disable-next-line import/no-default-export -- Vitest reads the default export
export default defineConfig({
  root: join(import.meta.dirname, '../..'),
  // understudy-server is a link to this checkout, which does not have testcontainers.
  resolve: { alias: { testcontainers: join(import.meta.dirname, 'node_modules/testcontainers') } },
  test: {
    include: ['examples/testcontainers/*.test.ts'],
    server: { deps: { inline: ['understudy-server', /dist\/testcontainers/] } },
    testTimeout: 120_000,
  },
});
