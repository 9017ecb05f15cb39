import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { patchOf, type PatchStep } from '../../src/journal/json-patch.ts';
import type { RowChange } from '../../src/state/env.ts';

type Json = Record<string, unknown> | unknown[];

/** Applies one step as RFC 6902 describes. */
function apply(document: Json, { op, path, value }: PatchStep): void {
  const steps = path
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
  const last = steps.pop()!;
  const parent = steps.reduce<Json>((at, step) => (at as Record<string, Json>)[step]!, document);
  if (Array.isArray(parent)) {
    const index = last === '-' ? parent.length : Number(last);
    if (op !== 'add') parent.splice(index, 1);
    if (op !== 'remove') parent.splice(index, 0, structuredClone(value));
    return;
  }
  if (op === 'remove' || op === 'replace') expect(parent).toHaveProperty([last]);
  if (op === 'remove') delete parent[last];
  else parent[last] = structuredClone(value);
}

const names = fc.constantFrom('a', 'b~', 'c/d', '~1', '0');
const { row } = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom(null, true, 0, 1, '', 'x'),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(names, tie('value'), { maxKeys: 3 }),
  ),
  row: fc.dictionary(names, tie('value'), { maxKeys: 3 }),
}));

describe('the JSON patch of a change', () => {
  it('turns the rows before the change into the rows after it', () => {
    const rows = row.map((members) => ({ ...(members as object), id: 'x/y' }));
    const changes = fc.record({ before: fc.option(rows), after: fc.option(rows) });
    fc.assert(
      fc.property(changes, ({ before, after }) => {
        const document = { things: before ? { 'x/y': structuredClone(before) } : {} };
        const change = {
          collection: 'things',
          id: 'x/y',
          before: before ?? undefined,
          after: after ?? undefined,
        };

        for (const step of patchOf([change as unknown as RowChange])) apply(document, step);

        expect(document).toEqual({ things: after ? { 'x/y': after } : {} });
      }),
    );
  });

  it('has only the members that changed', () => {
    const before = { id: 'org_1', display_name: 'Acme', metadata: { plan: 'free' }, tags: ['a'] };
    const after = {
      id: 'org_1',
      display_name: 'Acme',
      metadata: { plan: 'paid', 'a/b': '1' },
      tags: ['a', 'b'],
    };

    expect(patchOf([{ collection: 'organizations', id: 'org_1', position: 0, before, after }])).toEqual([
      { op: 'replace', path: '/organizations/org_1/metadata/plan', value: 'paid', before: 'free' },
      { op: 'add', path: '/organizations/org_1/metadata/a~1b', value: '1' },
      { op: 'add', path: '/organizations/org_1/tags/-', value: 'b' },
    ]);
  });
});
