import { build } from 'esbuild';
import { describe, expect, it } from 'vitest';

/** The modules that are evaluated when this one is: what it imports, and what they import. */
async function evaluatedBy(entry: string): Promise<Set<string>> {
  const { metafile } = await build({
    entryPoints: [entry],
    bundle: true,
    write: false,
    metafile: true,
    platform: 'node',
    format: 'esm',
    packages: 'external',
    logLevel: 'silent',
  });
  const reached = new Set<string>();
  const visit = (path: string) => {
    if (reached.has(path)) return;
    reached.add(path);
    for (const { path: next, kind } of metafile.inputs[path]?.imports ?? [])
      if (kind === 'import-statement') visit(next);
  };
  visit(entry);
  return reached;
}

describe('the libraries that read XML', () => {
  const LIBRARIES = ['xml-crypto', '@xmldom/xmldom'];

  it('stay out of the start', async () => {
    const reached = await evaluatedBy('src/main.ts');

    expect(reached.size).toBeGreaterThan(50);
    expect([...reached].filter((path) => LIBRARIES.includes(path) || path.startsWith('src/saml/'))).toEqual(
      [],
    );
  });

  it('are reached by the operations that check responses', async () => {
    const reached = await evaluatedBy('src/operations/identity-provider/sign-on.ts');

    expect(LIBRARIES.every((library) => reached.has(library))).toBe(true);
  });
});
