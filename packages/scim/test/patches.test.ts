import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Attribute, Resource } from '../src/attributes.ts';
import { patched } from '../src/patch.ts';
import { ScimRefusal } from '../src/refusal.ts';
import { GROUP, USER } from '../src/schemas.ts';
import { readResource } from '../src/reading.ts';

const ids = fc.uniqueArray(fc.stringMatching(/^[a-z0-9]{1,6}$/), { maxLength: 8 });
const verb = (name: string) =>
  fc.constantFrom(name, name.toUpperCase(), name[0]!.toUpperCase() + name.slice(1));

const group = (members: readonly string[]) =>
  readResource(GROUP, { displayName: 'All', members: members.map((value) => ({ value })) });
const members = (resource: Resource): string[] =>
  ((resource['members'] ?? []) as Resource[]).map(({ value }) => String(value));

const user = readResource(USER, {
  userName: 'mia',
  name: { givenName: 'Mia', familyName: 'Roth' },
  emails: [
    { value: 'mia@acme.example', type: 'work', primary: true },
    { value: 'mia@home.example', type: 'home' },
  ],
  active: true,
});

describe('operations on members', () => {
  it('add and remove what they name, in every dialect', () => {
    fc.assert(
      fc.property(
        ids,
        ids,
        verb('add'),
        verb('remove'),
        fc.boolean(),
        (before, named, add, remove, byFilter) => {
          const value = named.map((each) => ({ $ref: null, value: each }));
          const removal = byFilter
            ? named.map((each) => ({ op: remove, path: `members[value eq "${each}"]` }))
            : [{ op: remove, path: 'members', value }];

          const added = patched(GROUP, group(before), [{ op: add, path: 'members', value }]);
          const removed = removal.length === 0 ? added : patched(GROUP, added, removal);

          expect(new Set(members(added))).toEqual(new Set([...before, ...named]));
          expect(members(added)).toHaveLength(new Set([...before, ...named]).size);
          if (named.length > 0)
            expect(members(removed)).toEqual(before.filter((each) => !named.includes(each)));
        },
      ),
    );
  });

  it('replace all of them', () => {
    fc.assert(
      fc.property(ids, ids, (before, wanted) => {
        const value = wanted.map((each) => ({ value: each }));
        expect(members(patched(GROUP, group(before), [{ op: 'replace', path: 'members', value }]))).toEqual(
          wanted,
        );
      }),
    );
  });
});

const path = fc.oneof(
  fc.constantFrom(
    'title',
    'TITLE',
    'active',
    'name',
    'name.givenName',
    'emails',
    'emails[type eq "work"].value',
    'emails.type',
    'id',
    'meta',
    'meta.created',
    'schemas',
    'groups',
    'password',
    'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:department',
    'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User',
    'manager.value',
    '__proto__',
    '__proto__.polluted',
    'constructor.prototype.polluted',
    'name.__proto__',
    'emails[__proto__ eq "x"]',
    'emails[type eq "work"].__proto__',
  ),
  fc.string(),
);
const operation = fc.record(
  {
    op: fc.constantFrom('add', 'Replace', 'REMOVE', 'move'),
    path,
    value: fc.oneof(
      fc.jsonValue(),
      fc.constantFrom<unknown>('x', true, 'False', [{ value: 'a@b.example', primary: true }], {
        title: 'Chief',
        'name.givenName': 'M',
        '__proto__.polluted': 1,
        constructor: { prototype: { polluted: 1 } },
      }),
    ),
  },
  { requiredKeys: ['op'] },
);

function frozen<T>(value: T): T {
  if (typeof value === 'object' && value !== null) {
    for (const each of Object.values(value)) frozen(each);
    Object.freeze(value);
  }
  return value;
}

/** Whether a value is what the schema announces (RFC 7643 7). */
function fits({ multiValued, type, sub }: Attribute, value: unknown, isItem = false): boolean {
  if (multiValued && !isItem)
    return (
      Array.isArray(value) && value.every((each) => fits({ multiValued, type, sub } as Attribute, each, true))
    );
  if (!sub) return typeof value === (type === 'boolean' ? 'boolean' : 'string');
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  return Object.entries(value).every(([name, part]) => {
    const known = sub.find(name);
    return known !== undefined && fits(known, part);
  });
}

const ATTRIBUTES = [USER, GROUP].flatMap((type) =>
  [type.core, ...type.extensions].flatMap((schema) =>
    schema.attributes.all.map((attribute) => ({ type, schema, attribute })),
  ),
);

describe('whatever is taken', () => {
  const leaf = fc.oneof(
    fc.constantFrom<unknown>('a@acme.example', 'x', '', 'True', 'maybe', null, true, 7),
    fc.string(),
  );
  const value = fc.oneof(
    leaf,
    fc.array(leaf, { maxLength: 3 }),
    fc.dictionary(fc.constantFrom('value', 'type', 'primary', 'formatted', '$ref'), leaf),
    fc.array(fc.dictionary(fc.constantFrom('value', 'type', 'primary', 'display', 'country'), leaf), {
      maxLength: 3,
    }),
  );

  it('fits the announced schemas, and can be read again', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...ATTRIBUTES),
        value,
        fc.constantFrom('add', 'replace', 'whole', 'POST'),
        ({ type, schema, attribute }, sent, way) => {
          const isCore = schema === type.core;
          const start = type === USER ? user : group(['a']);
          const path = isCore ? attribute.name : `${schema.id}:${attribute.name}`;
          const member = isCore ? { [attribute.name]: sent } : { [schema.id]: { [attribute.name]: sent } };
          let taken: Resource;
          try {
            if (way === 'POST') taken = readResource(type, { ...start, ...member });
            else if (way === 'whole') taken = patched(type, start, [{ op: 'replace', value: member }]);
            else taken = patched(type, start, [{ op: way, path, value: sent }]);
          } catch (thrown) {
            if (thrown instanceof ScimRefusal) return;
            throw thrown;
          }

          const holder = (isCore ? taken : (taken[schema.id] ?? {})) as Resource;
          const now = holder[attribute.name];
          if (now !== undefined && !fits(attribute, now)) throw new Error(`${path}: ${JSON.stringify(now)}`);
          expect(readResource(type, taken)).toEqual(taken);
        },
      ),
      { numRuns: 3000 },
    );
  });
});

describe('operations', () => {
  it('give a resource that fits the schemas, or are refused; the resource before stays as it is', () => {
    const before = frozen(structuredClone(user));
    fc.assert(
      fc.property(fc.array(operation, { minLength: 1, maxLength: 4 }), (operations) => {
        try {
          const after = patched(USER, before, operations);
          expect(readResource(USER, after)).toEqual(after);
        } catch (thrown) {
          expect(thrown).toBeInstanceOf(ScimRefusal);
          expect((thrown as ScimRefusal).scimType).toBeDefined();
        }
        expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
      }),
      { numRuns: 2000 },
    );
  });

  it('read keys of hostile JSON as names that nobody has', () => {
    const hostile = JSON.parse(
      '[{"op":"add","value":{"__proto__":{"polluted":1},"title":"Chief","name":{"__proto__":{"polluted":1}}}}]',
    ) as unknown[];

    const after = patched(USER, user, hostile);

    expect(after).toEqual({ ...user, title: 'Chief' });
    expect(Object.getPrototypeOf(after)).toBe(Object.prototype);
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });

  it.each([
    [
      'too many',
      Array.from({ length: 1001 }, () => ({ op: 'replace', path: 'title', value: 'x' })),
      '1001 operations; at most 1000',
    ],
    ['a path of 5000 characters', [{ op: 'replace', path: 'a'.repeat(5000), value: 'x' }], 'is no path'],
    [
      'too many values',
      [{ op: 'add', path: 'emails', value: Array.from({ length: 101 }, () => ({ value: 'x' })) }],
      'emails: 101 values; there may be at most 100',
    ],
    [
      'a second primary value',
      [
        {
          op: 'replace',
          path: 'emails',
          value: [
            { value: 'a@acme.example', primary: true },
            { value: 'b@acme.example', primary: true },
          ],
        },
      ],
      '2 values are primary',
    ],
    ['no name any more', [{ op: 'remove', path: 'userName' }], 'userName is required'],
    ['another id', [{ op: 'replace', path: 'id', value: 'x' }], 'id cannot be changed'],
  ])('are refused: %s', (_, operations, message) => {
    expect(() => patched(USER, user, operations)).toThrow(message);
  });

  it('cost little on a large group, or are refused', () => {
    const large = group(Array.from({ length: 20_000 }, (_, index) => `m${index}`));
    const many = Array.from({ length: 1000 }, (_, index) => ({
      op: 'remove',
      path: `members[value eq "m${index}"]`,
    }));
    const inTurn = many.flatMap((removal) => [
      removal,
      { op: 'add', path: 'members', value: [{ value: 'm' }] },
    ]);
    const start = process.cpuUsage();

    expect(() => patched(GROUP, large, inTurn.slice(0, 1000))).toThrow('send fewer in a call');
    const removed = patched(GROUP, large, many);
    const added = patched(
      GROUP,
      removed,
      many.map((_, index) => ({ op: 'Add', path: 'members', value: { value: `m${index}` } })),
    );

    expect(members(removed)).toHaveLength(19_000);
    expect(members(added)).toHaveLength(20_000);
    const { user: spent } = process.cpuUsage(start);
    expect(spent).toBeLessThan(1_000_000);
  });
});
