import { describe, expect, it } from 'vitest';
import { bootOnce, type Booted } from '../support/boot.ts';
import { ACCOUNTS, ORGANIZATIONS, pairs, send, text, USERS } from './support.ts';
import { ACME, ADA, NORDWIND } from '../support/fixture-ids.ts';

const { fresh } = bootOnce();
const ROLES = `${ORGANIZATIONS}/${ACME}/roles`;
const CLIENTS = `${ORGANIZATIONS}/${ACME}/clients`;
const MEMBERSHIP = `/api/v1/memberships/organizations/${NORDWIND}/users/${ADA}`;

type Make = (value: unknown) => object;

/** The call, its body for a value, and the values that are the last to be taken and the first to be refused. */
type Limit = [what: string, call: string, make: Make, taken: unknown[], refused: unknown[]];

const profile = (field: string): Make => {
  return (value) => ({ email: 'zoe@acme.example', user_profile: { [field]: value } });
};
const edited = (field: string): Make => {
  return (value) => ({ user_profile: { [field]: value } });
};
const KEYS = [{ abc: 'v' }, { [text(25)]: 'v' }, { key: 'v' }, { key: text(256) }];
const BAD_KEYS = [{ ab: 'v' }, { [text(26)]: 'v' }, { key: '' }, { key: text(257) }];
const named = (value: unknown) => ({ display_name: 'Globex', metadata: value });
const user = (value: unknown) => ({ email: 'zoe@acme.example', metadata: value });
const role = (more: object) => ({ name: 'auditor', display_name: 'Auditor', ...more });

const LIMITS: Limit[] = [
  [
    'the name of a new organization',
    `POST ${ORGANIZATIONS}`,
    (v) => ({ display_name: v }),
    ['x', text(200)],
    ['', text(201)],
  ],
  [
    'the name of a changed organization',
    `PATCH ${ORGANIZATIONS}/${ACME}`,
    (v) => ({ display_name: v }),
    ['x', text(200)],
    ['', text(201)],
  ],
  [
    'the external id of a new organization',
    `POST ${ORGANIZATIONS}`,
    (v) => ({ display_name: 'G', external_id: v }),
    ['x', text(255)],
    [text(256)],
  ],
  [
    'the external id of a changed organization',
    `PATCH ${ORGANIZATIONS}/${ACME}`,
    (v) => ({ external_id: v }),
    ['x', text(255)],
    [text(256)],
  ],
  ['keys and values of metadata of a new organization', `POST ${ORGANIZATIONS}`, named, KEYS, BAD_KEYS],
  [
    'keys and values of metadata of a changed organization',
    `PATCH ${ORGANIZATIONS}/${ACME}`,
    (v) => ({ metadata: v }),
    KEYS,
    BAD_KEYS,
  ],
  [
    'pairs of metadata of an organization',
    `PATCH ${ORGANIZATIONS}/${ACME}`,
    (v) => ({ metadata: v }),
    [pairs(10)],
    [pairs(11)],
  ],
  ['keys and values of metadata of a user', `POST ${USERS}`, user, KEYS, BAD_KEYS],
  [
    'keys and values of metadata of a changed user',
    `PATCH /api/v1/users/${ADA}`,
    (v) => ({ metadata: v }),
    KEYS,
    BAD_KEYS,
  ],
  [
    'keys and values of metadata of a membership',
    `POST ${MEMBERSHIP}`,
    (v) => ({ metadata: v }),
    KEYS,
    BAD_KEYS,
  ],
  [
    'the address of a user',
    `POST ${USERS}`,
    (v) => ({ email: v }),
    ['a@b.example'],
    ['', 'a', 'a@', '@b.example', 'a b@c.example'],
  ],
  [
    'the address of an inviter',
    `POST ${MEMBERSHIP}`,
    (v) => ({ inviter_email: v }),
    ['a@b.example'],
    ['a', 'a b@c.example'],
  ],
  ...['given_name', 'family_name'].flatMap((field): Limit[] => [
    [`${field} of a new user`, `POST ${USERS}`, profile(field), ['x', text(255)], [text(256)]],
    [
      `${field} of a changed user`,
      `PATCH /api/v1/users/${ADA}`,
      edited(field),
      ['x', text(255)],
      [text(256)],
    ],
  ]),
  [
    'the preferred name of a new user',
    `POST ${USERS}`,
    profile('preferred_username'),
    [text(512)],
    [text(513)],
  ],
  [
    'the preferred name of a changed user',
    `PATCH /api/v1/users/${ADA}`,
    edited('preferred_username'),
    [text(512)],
    [text(513)],
  ],
  ['the gender of a user', `PATCH /api/v1/users/${ADA}`, edited('gender'), ['x', 'any text at all'], []],
  ...['custom_attributes', 'metadata'].flatMap((field): Limit[] => [
    [`keys and values of ${field} in a new profile`, `POST ${USERS}`, profile(field), KEYS, BAD_KEYS],
    [
      `keys and values of ${field} in a changed profile`,
      `PATCH /api/v1/users/${ADA}`,
      edited(field),
      KEYS,
      BAD_KEYS,
    ],
    [`pairs of ${field} in a new profile`, `POST ${USERS}`, profile(field), [pairs(20)], [pairs(21)]],
    [
      `pairs of ${field} in a changed profile`,
      `PATCH /api/v1/users/${ADA}`,
      edited(field),
      [pairs(20)],
      [pairs(21)],
    ],
  ]),
  [
    'the name of a role',
    `POST ${ROLES}`,
    (v) => role({ name: v }),
    ['a', 'A_1', text(100)],
    ['', 'a b', 'a-b', 'a.b', 'ä', text(101)],
  ],
  ['the description of a role', `POST ${ROLES}`, (v) => role({ description: v }), [text(2000)], [text(2001)]],
  [
    'the description of an environment role',
    'POST /api/v1/roles',
    (v) => role({ description: v }),
    [text(2000)],
    [text(2001)],
  ],
  [
    'the permissions of a role',
    `POST ${ROLES}`,
    (v) => role({ permissions: v }),
    [[]],
    [Array.from({ length: 101 }, (_, at) => `p${at}`)],
  ],
  [
    'a permission of a role, which must exist',
    `POST ${ROLES}`,
    (v) => role({ permissions: v }),
    [],
    [['no_such_permission']],
  ],
  [
    'the role that a role extends, which must exist',
    `POST ${ROLES}`,
    (v) => role({ extends: v }),
    [],
    ['no_such_role'],
  ],
  [
    'the key of a custom claim',
    `POST ${CLIENTS}`,
    (v) => ({ name: 'B', custom_claims: [{ key: v, value: 'v' }] }),
    ['x', text(128)],
    ['', text(129)],
  ],
  [
    'the expiry of tokens of a client, an int64',
    `POST ${CLIENTS}`,
    (v) => ({ name: 'B', expiry: v }),
    ['600', 600],
    ['soon'],
  ],
  [
    'the switch of a feature',
    `PATCH ${ORGANIZATIONS}/${ACME}/settings`,
    (v) => ({ features: [{ name: 'sso', enabled: v }] }),
    [true, false],
    ['yes', undefined],
  ],
  [
    'the name of a feature',
    `PATCH ${ORGANIZATIONS}/${ACME}/settings`,
    (v) => ({ features: [{ name: v, enabled: true }] }),
    ['sso', 'dir_sync'],
    ['no_such_feature', undefined],
  ],
  [
    'the address for user verification',
    `POST ${ACCOUNTS}/magic_link`,
    (v) => ({ id: 'ca_10000000000000301', user_verify_url: v }),
    ['https://app.example/v', ''],
    ['app.example', 'ftp://app.example'],
  ],
  [
    'the type of a domain',
    `POST ${ORGANIZATIONS}/${ACME}/domains`,
    (v) => ({ domain: 'new.example', domain_type: v }),
    ['ALLOWED_EMAIL_DOMAIN', 'ORGANIZATION_DOMAIN'],
    ['OTHER'],
  ],
  [
    'the name of a tool',
    'POST /api/v1/execute_tool',
    (v) => ({ tool_name: v, params: {} }),
    [],
    ['', undefined],
  ],
  [
    'the parameters of a tool',
    'POST /api/v1/execute_tool',
    (v) => ({ tool_name: 'gmail_fetch_mails', params: v }),
    [],
    ['text', 7],
  ],
  [
    'the default role of members, which must exist',
    `PATCH ${ROLES}:set_defaults`,
    (v) => ({ default_member_role: v }),
    ['member'],
    ['no_such_role'],
  ],
];

const shown = (value: unknown) => {
  const json = JSON.stringify(value) ?? 'nothing';
  return json.length > 40 ? `${json.slice(0, 30)}… (${json.length} characters)` : json;
};

const rowsOf = (pick: (limit: Limit) => unknown[]) =>
  LIMITS.flatMap((limit) => pick(limit).map((value) => [limit[0], shown(value), limit, value] as const));

const call = ({ api }: Booted, [, to, make]: Limit, value: unknown) => send(api, to, make(value));

describe('the service takes', () => {
  it.each(rowsOf(([, , , taken]) => taken))('as %s: %s', async (_, __, limit, value) => {
    const { status, text: said } = await call(await fresh(), limit, value);

    expect([200, 201], said).toContain(status);
  });
});

describe('the service refuses', () => {
  it.each(rowsOf(([, , , , refused]) => refused))('as %s: %s', async (_, __, limit, value) => {
    const { status, body, text: said } = await call(await fresh(), limit, value);

    expect([400, 404], said).toContain(status);
    expect(body).toMatchObject({ code: expect.any(Number), message: expect.any(String) });
  });
});
