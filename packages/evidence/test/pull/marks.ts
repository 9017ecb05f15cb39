import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Contract } from '../../../../src/contract/contract.ts';
import type { Schema } from '../../../../src/contract/compiled.ts';
import { readContract } from '../../../../src/contract/documents.ts';
import { schemaAt } from '../../../../src/scenarios/breaches.ts';
import { TABLES } from '../../../../src/state/schema.ts';
import type { Collection } from '../../../../src/state/env.ts';

export const MARK = 'zqmark';

const control = new Contract(readContract('control'));

/** What docs/pull.md says that a pull never replaces: names that programs use, and words of the service. */
const PLAIN =
  /^(aaguid|transports|key_id|provider|provider_key|connector|scopes|required_scopes|grant_types|region_code|categories|field_name|input_type|key|map_to|header_name|attribute_mapping|provisioning_method|auth_mode|tools|locale|name of (roles|permissions|scopes|features|mcp_configs|authenticator)|auth_patterns|type)$/;

/** A fixture whose every text that a user can set has the mark. */
export function markedFixture(): Record<string, unknown> {
  const small = JSON.parse(
    readFileSync(join(import.meta.dirname, '../../../../fixtures/small.json'), 'utf8'),
  ) as Record<string, unknown>;
  const marked = Object.entries(small).map(([name, rows]) => {
    if (!Array.isArray(rows) || name === 'include' || name === 'settings') return [name, rows] as const;
    const schema = control.schemaNamed(TABLES[name as Collection].schema)!;
    const added = ADDED[name] ?? [];
    return [name, [...rows, ...added].map((row: unknown) => marks(row, schema, name, name))] as const;
  });
  return Object.fromEntries(marked);
}

/** Members that the fixture `small` has nowhere. */
const ADDED: Record<string, unknown[]> = {
  organizations: [
    {
      id: 'org_10000000000000099',
      display_name: 'x',
      external_id: 'x',
      slug: 'x-99',
      logo_url: 'https://x.example/x',
      metadata: { note: 'x' },
      branding: { source: 'BRANDING_SOURCE_CUSTOM', customization_settings: { application_name: 'x' } },
    },
  ],
  users: [
    {
      id: 'usr_10000000000000199',
      email: 'x99@x.example',
      metadata: { note: 'x' },
      user_profile: {
        given_name: 'x',
        family_name: 'x',
        name: 'x',
        phone_number: '+491701234567',
        preferred_username: 'x',
        gender: 'x',
        picture: 'https://x.example/x',
        groups: ['x'],
        metadata: { note: 'x' },
        custom_attributes: { note: 'x' },
      },
    },
  ],
};

function marks(value: unknown, schema: Schema, name: string, parent: string): unknown {
  if (Array.isArray(value))
    return value.map((each) => marks(each, schemaAt([0], schema, control), name, parent));
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(
      Object.entries(value).map(([inner, each]) => [
        inner,
        marks(each, schemaAt([inner], schema, control), inner, name),
      ]),
    );
  if (typeof value !== 'string' || value === '' || isFixed(value, schema)) return value;
  if (PLAIN.test(name) || PLAIN.test(parent) || PLAIN.test(`${name} of ${parent}`)) return value;
  return markedText(value, name);
}

/** Ids, times and words of the contract. */
const isFixed = (value: string, { enum: words, format, pattern }: Schema) =>
  words !== undefined ||
  format === 'date-time' ||
  (pattern !== undefined && !/^\^(\$\|\^)?https/.test(pattern)) ||
  /^[a-z0-9]+_[0-9]{10,}$/.test(value) ||
  /^now[-+]?/.test(value);

function markedText(value: string, name: string): string {
  if (name === 'phone_number') return '+499876543210';
  const code = value.toLowerCase().replace(/[^a-z0-9]/g, '');
  if (/^[^\s@]+@[^\s@]+$/.test(value)) return value.replace(/^/, MARK).replace('@', `@${MARK}.`);
  if (/^https?:/.test(value)) return `https://${MARK}.example/${MARK}/${code}`;
  if (name === 'domain') return `${MARK}-${value}`;
  if (
    name === 'id' ||
    /_(template|secret|token|code)$|^(token|code|public_key|private_key|credential_id|secret)$/.test(name)
  )
    return value;
  return name === 'slug' ? `${MARK}-${value}` : `${MARK} ${value}`;
}
