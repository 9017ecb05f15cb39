// esbuild plugins.

/** Loads a module at run time from a bundle of its own in the same folder. */
export const apart = (filter, file) => ({
  name: 'apart',
  setup(build) {
    build.onResolve({ filter }, ({ kind }) =>
      kind === 'dynamic-import' ? { path: `./${file}`, external: true } : undefined,
    );
  },
});

/** Uses the ES module copy of a library for the SDK's CommonJS code too, so that it is bundled only once. */
export const oneProtobuf = {
  name: 'one-protobuf',
  setup(build) {
    build.onResolve({ filter: /^(@bufbuild\/protobuf|@connectrpc\/connect(-node)?)(\/.*)?$/ }, (found) => {
      const { kind, path, resolveDir, pluginData } = found;
      if (kind !== 'require-call' || pluginData) return undefined;
      return build.resolve(path, { kind: 'import-statement', resolveDir, pluginData: { asked: true } });
    });
  },
};

/**
 * Leaves the JSON Schema compiler out of the MCP library, which would use it for what a client fills in for a server.
 * Our servers ask for nothing, and the pipeline checks the arguments of tools. The client needs it no more.
 */
export const anyMcpSchema = {
  name: 'any-mcp-schema',
  setup(build) {
    build.onResolve({ filter: /^@modelcontextprotocol\/(server|client)\/_shims$/ }, () => ({
      path: 'any-mcp-schema',
      namespace: 'any-mcp-schema',
    }));
    build.onLoad({ filter: /.*/, namespace: 'any-mcp-schema' }, () => ({
      contents: `
        export { default as process } from 'node:process';
        export const CORS_IS_POSSIBLE = false;
        export class DefaultJsonSchemaValidator {
          getValidator = () => (data) => ({ valid: true, data, errorMessage: undefined });
        }`,
    }));
  },
};
