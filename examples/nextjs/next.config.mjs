// The repository around this folder has a lock file too, so Next.js would take the wrong folder as its root.
export default { turbopack: { root: import.meta.dirname } };
