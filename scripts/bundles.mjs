// esbuild plugins, and the packages that esbuild finds elsewhere.

/** The CommonJS file of jsonc-parser loads its parts in a way that cannot be bundled. */
export const ALIAS = { 'jsonc-parser': 'jsonc-parser/lib/esm/main.js' };

/** Loads a module at run time from a bundle of its own in the same folder. */
export const apart = (filter, file) => ({
  name: 'apart',
  setup(build) {
    build.onResolve({ filter }, ({ kind }) =>
      kind === 'dynamic-import' ? { path: `./${file}`, external: true } : undefined,
    );
  },
});

/**
 * Loads modules when one of their members is first read, because a plain start and a first call do not need them. `files` says
 * where a module is, if it is a file of its own in the same folder.
 */
export const lateModules = (names, files = {}) => ({
  name: 'late-modules',
  setup(build) {
    const filter = new RegExp(`^(node:)?(${[...names, ...Object.keys(files)].join('|')})$`);
    build.onResolve({ filter }, ({ path, namespace }) =>
      namespace === 'late' ? undefined : { path: path.replace(/^node:/, ''), namespace: 'late' },
    );
    build.onResolve({ filter: /^\.\/.+\.cjs$/ }, ({ path, namespace }) =>
      namespace === 'late' ? { path, external: true } : undefined,
    );
    build.onLoad({ filter: /.*/, namespace: 'late' }, async ({ path }) => {
      const members = Object.keys(await import(path)).filter((name) => /^(?!default$)[a-z]\w*$/i.test(name));
      const getters = members.map((name) => `get ${name}() { return load().${name}; }`);
      const contents = `
        let loaded;
        const load = () => (loaded ??= require('${files[path] ?? path}'));
        module.exports = { ${getters.join(', ')} };`;
      return { contents, resolveDir: process.cwd() };
    });
  },
});

/** Writes other characters as escapes, so that the program is read as Latin-1: in half the time and half the memory. */
export const asAscii = (code) =>
  code.replace(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);

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
