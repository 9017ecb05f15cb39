// What esbuild must be told beside its options.

/** A module that is a bundle of its own, in the same folder. */
export const apart = (filter, file) => ({
  name: 'apart',
  setup(build) {
    build.onResolve({ filter }, ({ kind }) =>
      kind === 'dynamic-import' ? { path: `./${file}`, external: true } : undefined,
    );
  },
});

/** The SDK's CommonJS asks for the CommonJS copy of a library that we have as ES modules already: one is enough. */
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
