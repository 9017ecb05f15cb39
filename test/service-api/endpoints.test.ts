import { decodeJwt } from 'jose';
import { describe, expect, it } from 'vitest';
import { bootOnce } from '../support/boot.ts';
import { ACCOUNTS, check, ORGANIZATIONS, send, USERS, violated, type Line } from './support.ts';
import { ACME, ADA, GMAIL, LENA, NORDWIND } from '../support/fixture-ids.ts';

const { same, fresh } = bootOnce();
const ROLES = `${ORGANIZATIONS}/${ACME}/roles`;
const INVITES = '/api/v1/invites/organizations';
const MEMBERSHIPS = '/api/v1/memberships/organizations';
const NOBODY = 'usr_404';
const NEW_ACCOUNT = { connector: 'gmail', identifier: 'new@acme.example', connected_account: {} };
const BY_NAME = { connector: 'gmail', identifier: 'nobody@acme.example' };
const missing = { code: 5, details: [{ error_code: 'RESOURCE_NOT_FOUND' }] };
const bad = { code: 3 };

const LINES: Record<string, Line[]> = {
  'connected accounts': [
    ['are listed', `GET ${ACCOUNTS}`, undefined, 200],
    ['are listed by organization', `GET ${ACCOUNTS}?organization_id=${ACME}`, undefined, 200],
    ['are listed by user', `GET ${ACCOUNTS}?user_id=${ADA}`, undefined, 200],
    ['are listed by connector', `GET ${ACCOUNTS}?connector=gmail`, undefined, 200],
    ['are listed by provider', `GET ${ACCOUNTS}?provider=GOOGLE`, undefined, 200],
    ['are listed by identifier', `GET ${ACCOUNTS}?identifier=default`, undefined, 200],
    ['have no list for a page of words', `GET ${ACCOUNTS}?page_size=many`, undefined, 400, bad],
    ['have no list for a broken page token', `GET ${ACCOUNTS}?page_token=none`, undefined, 400, bad],
    ['are created', `POST ${ACCOUNTS}`, NEW_ACCOUNT, 201, { connected_account: { status: 'PENDING_AUTH' } }],
    ['are created for a user', `POST ${ACCOUNTS}`, { ...NEW_ACCOUNT, user_id: ADA }, 201],
    ['are created for an organization', `POST ${ACCOUNTS}`, { ...NEW_ACCOUNT, organization_id: ACME }, 201],
    ['are not created without a body', `POST ${ACCOUNTS}`, undefined, 400, bad],
    ['are changed by id', `PUT ${ACCOUNTS}`, { id: GMAIL, connected_account: { api_config: { a: 1 } } }, 200],
    [
      'are not changed if there is none',
      `PUT ${ACCOUNTS}`,
      { id: 'ca_404', connected_account: {} },
      404,
      missing,
    ],
    ['are not changed without a name', `PUT ${ACCOUNTS}`, { connected_account: {} }, 400, bad],
    ['show their secrets by id', `GET ${ACCOUNTS}/auth?id=${GMAIL}`, undefined, 200],
    ['show no secrets without a name', `GET ${ACCOUNTS}/auth`, undefined, 400, bad],
    ['show no secrets if there is none', `GET ${ACCOUNTS}/auth?id=ca_404`, undefined, 404, missing],
    ['get a link by id', `POST ${ACCOUNTS}/magic_link`, { id: GMAIL }, 200],
    ['get a link with a state', `POST ${ACCOUNTS}/magic_link`, { id: GMAIL, state: 'a/b=' }, 200],
    ['get no link without a name', `POST ${ACCOUNTS}/magic_link`, {}, 400, bad],
    [
      'are not verified without a request',
      `POST ${ACCOUNTS}/user/verify`,
      { identifier: 'a' },
      400,
      violated('auth_request_id'),
    ],
    [
      'are not verified without an identifier',
      `POST ${ACCOUNTS}/user/verify`,
      { auth_request_id: 'a' },
      400,
      violated('identifier'),
    ],
    [
      'are not verified by an unknown request',
      `POST ${ACCOUNTS}/user/verify`,
      { auth_request_id: 'a', identifier: 'b' },
      404,
      missing,
    ],
    ['are deleted by id', `POST ${ACCOUNTS}:delete`, { id: GMAIL }, 200, {}],
    ['are not deleted if there is none', `POST ${ACCOUNTS}:delete`, BY_NAME, 404, missing],
    ['are not deleted without a name', `POST ${ACCOUNTS}:delete`, {}, 400, bad],
    ['are found by a part of the connector', `GET ${ACCOUNTS}:search?query=gma`, undefined, 200],
    ['are found in capital letters', `GET ${ACCOUNTS}:search?query=GMA`, undefined, 200],
    ['are not found by two letters', `GET ${ACCOUNTS}:search?query=gm`, undefined, 400, bad],
    ['are not found by nothing', `GET ${ACCOUNTS}:search`, undefined, 400, bad],
  ],
  tools: [
    ['have no run without a name', 'POST /api/v1/execute_tool', { params: {} }, 400, bad],
    [
      'have no run if there is no such tool',
      'POST /api/v1/execute_tool',
      { tool_name: 'no_such', connected_account_id: GMAIL, params: {} },
      404,
      missing,
    ],
    [
      'have no run if there is no such account',
      'POST /api/v1/execute_tool',
      { tool_name: 'gmail_fetch_mails', ...BY_NAME, params: {} },
      404,
      missing,
    ],
    [
      'run with an account',
      'POST /api/v1/execute_tool',
      { tool_name: 'gmail_fetch_mails', connected_account_id: GMAIL, params: {} },
      200,
      { data: expect.any(Object), execution_id: expect.any(String) },
    ],
  ],
  'connections, clients and links': [
    [
      'connections are listed',
      'GET /api/v1/connections?include=all',
      undefined,
      200,
      { connections: expect.any(Array) },
    ],
    [
      'clients are listed',
      `GET ${ORGANIZATIONS}/${ACME}/clients`,
      undefined,
      200,
      { clients: expect.any(Array) },
    ],
    [
      'an unknown organization has no clients',
      `GET ${ORGANIZATIONS}/org_404/clients`,
      undefined,
      404,
      missing,
    ],
    [
      'an organization gets a link',
      `PUT ${ORGANIZATIONS}/${ACME}/portal_links`,
      undefined,
      200,
      { link: { location: expect.any(String) } },
    ],
    [
      'an unknown organization gets no link',
      `PUT ${ORGANIZATIONS}/org_404/portal_links`,
      undefined,
      404,
      missing,
    ],
  ],
  'invitations and memberships': [
    [
      'an invitation is sent again',
      `PATCH ${INVITES}/${NORDWIND}/users/${LENA}/resend`,
      {},
      200,
      { invite: { resent_count: 1 } },
    ],
    ['an accepted invitation is not', `PATCH ${INVITES}/${ACME}/users/${ADA}/resend`, {}, 400],
    ['nobody gets an invitation again', `PATCH ${INVITES}/${ACME}/users/${NOBODY}/resend`, {}, 404, missing],
    ['an unknown organization sends none', `PATCH ${INVITES}/org_404/users/${ADA}/resend`, {}, 404, missing],
    ['a user joins', `POST ${MEMBERSHIPS}/${NORDWIND}/users/${ADA}`, {}, 201, { user: { id: ADA } }],
    [
      'a user joins with a role',
      `POST ${MEMBERSHIPS}/${NORDWIND}/users/${ADA}`,
      { roles: [{ name: 'member' }] },
      201,
    ],
    [
      'a user joins by external id',
      `POST ${MEMBERSHIPS}/${NORDWIND}/users/crm-acme-ada`,
      {},
      201,
      { user: { id: ADA } },
    ],
    [
      'a membership is changed',
      `PATCH ${MEMBERSHIPS}/${ACME}/users/${ADA}`,
      { metadata: { desk: 'one' } },
      200,
      { user: { id: ADA } },
    ],
    ['a membership is removed', `DELETE ${MEMBERSHIPS}/${ACME}/users/${ADA}`, undefined, 200, {}],
    [
      'a membership is removed without its user',
      `DELETE ${MEMBERSHIPS}/${ACME}/users/${ADA}?cascade=false`,
      undefined,
      200,
      {},
    ],
  ],
  organizations: [
    ['are listed', `GET ${ORGANIZATIONS}`, undefined, 200, { organizations: expect.any(Array) }],
    ['have no list for a broken page token', `GET ${ORGANIZATIONS}?page_token=none`, undefined, 400, bad],
    [
      'are created',
      `POST ${ORGANIZATIONS}`,
      { display_name: 'Globex', external_id: 'x', metadata: { plan: 'a' } },
      201,
      { organization: { display_name: 'Globex', external_id: 'x' } },
    ],
    [
      'are not created without a name',
      `POST ${ORGANIZATIONS}`,
      {},
      400,
      violated('organization.display_name'),
    ],
    ['are read', `GET ${ORGANIZATIONS}/${ACME}`, undefined, 200, { organization: { id: ACME } }],
    ['are not read if there is none', `GET ${ORGANIZATIONS}/org_404`, undefined, 404, missing],
    [
      'are changed',
      `PATCH ${ORGANIZATIONS}/${ACME}`,
      { display_name: 'Acme AG' },
      200,
      { organization: { display_name: 'Acme AG' } },
    ],
    [
      'keep their region',
      `PATCH ${ORGANIZATIONS}/${ACME}`,
      { region_code: 'EU' },
      200,
      { organization: { region_code: 'US' } },
    ],
    [
      'are not changed if there is none',
      `PATCH ${ORGANIZATIONS}/org_404`,
      { display_name: 'A' },
      404,
      missing,
    ],
    ['are deleted', `DELETE ${ORGANIZATIONS}/${NORDWIND}`, undefined, 200, {}],
    ['are not deleted if there is none', `DELETE ${ORGANIZATIONS}/org_404`, undefined, 404, missing],
    [
      'have a feature switched',
      `PATCH ${ORGANIZATIONS}/${ACME}/settings`,
      { features: [{ name: 'sso', enabled: false }] },
      200,
    ],
    [
      'have no unknown feature',
      `PATCH ${ORGANIZATIONS}/${ACME}/settings`,
      { features: [{ name: 'x', enabled: true }] },
      400,
      bad,
    ],
    [
      'have no feature if there is none',
      `PATCH ${ORGANIZATIONS}/org_404/settings`,
      { features: [{ name: 'sso', enabled: true }] },
      404,
      missing,
    ],
  ],
  roles: [
    ['are listed', `GET ${ROLES}`, undefined, 200, { roles: expect.any(Array) }],
    ['are listed with permissions', `GET ${ROLES}?include=permissions:all`, undefined, 200],
    [
      'are created',
      `POST ${ROLES}`,
      { name: 'auditor', display_name: 'Auditor' },
      201,
      { role: { name: 'auditor', is_org_role: true } },
    ],
    [
      'are created from another',
      `POST ${ROLES}`,
      { name: 'auditor', display_name: 'Auditor', extends: 'member' },
      201,
      { role: { extends: 'member' } },
    ],
    ['are read', `GET ${ROLES}/member`, undefined, 200, { role: { name: 'member' } }],
    ['are not read if there is none', `GET ${ROLES}/no_such`, undefined, 404, missing],
    ['are not changed if there is none', `PUT ${ROLES}/no_such`, { display_name: 'A' }, 404, missing],
    ['are not deleted if there is none', `DELETE ${ROLES}/no_such`, undefined, 404, missing],
    [
      'have a default for members',
      `PATCH ${ROLES}:set_defaults`,
      { default_member_role: 'member' },
      200,
      { default_member: { name: 'member' } },
    ],
  ],
  'operations that only libraries name': [
    ['an application is created', 'POST /api/v1/clients', { name: 'App', client_type: 'WEB_APP' }, 200],
    ['applications are listed', 'GET /api/v1/clients?page_size=1', undefined, 200],
    [
      'an organization is read by external id',
      `GET ${ORGANIZATIONS}:external/crm-acme`,
      undefined,
      200,
      { organization: { id: ACME } },
    ],
    [
      'seats are set',
      `PATCH ${ORGANIZATIONS}/${ACME}/settings/usermanagement`,
      { settings: { max_allowed_users: 5 } },
      200,
    ],
    ['a session policy is read', `GET ${ORGANIZATIONS}/${ACME}/session-policy`, undefined, 200],
    ['users are listed', 'GET /api/v1/users?page_size=1', undefined, 200, { users: [expect.any(Object)] }],
    ['users of an organization are listed', `GET ${USERS}`, undefined, 200],
    ['a user is read', `GET /api/v1/users/${ADA}`, undefined, 200, { user: { id: ADA } }],
    [
      'a user is changed',
      `PATCH /api/v1/users/${ADA}`,
      { user_profile: { first_name: 'A', last_name: 'B', name: 'A B', locale: 'en' } },
      200,
    ],
    [
      'a user is created without a mail',
      `POST ${USERS}?send_invitation_email=false`,
      { email: 'zoe@acme.example' },
      201,
    ],
    ['a user is deleted', `DELETE /api/v1/users/${ADA}`, undefined, 200, {}],
    ['domains are listed', `GET ${ORGANIZATIONS}/${ACME}/domains?page_size=1&page_number=1`, undefined, 200],
    [
      'a domain is created',
      `POST ${ORGANIZATIONS}/${ACME}/domains`,
      { domain: 'new.example', domain_type: 'ORGANIZATION_DOMAIN' },
      200,
    ],
    ['directories are listed', `GET ${ORGANIZATIONS}/${ACME}/directories`, undefined, 200],
    ['sessions of a user are listed', `GET /api/v1/users/${ADA}/sessions?page_size=1`, undefined, 200],
    ['sessions of a user are revoked', `POST /api/v1/users/${ADA}/sessions/revoke`, undefined, 200],
    [
      'an API token is created',
      'POST /api/v1/tokens',
      { organization_id: ACME, description: 'CI' },
      201,
      { token: expect.any(String) },
    ],
    ['API tokens are listed', `GET /api/v1/tokens?organization_id=${ACME}`, undefined, 200],
    ['roles are listed', 'GET /api/v1/roles', undefined, 200],
    ['a role is created', 'POST /api/v1/roles', { name: 'auditor', display_name: 'Auditor' }, 201],
    ['permissions are listed', 'GET /api/v1/permissions', undefined, 200],
    [
      'a permission is created',
      'POST /api/v1/permissions',
      { name: 'bills:read', description: 'Reads' },
      201,
    ],
  ],
};

describe.each(Object.entries(LINES))('%s', (_, lines) => {
  it.each(lines)('%s: %s', async (...line) => check(await fresh(), line));
});

const CALLS = [
  ...new Set(
    Object.values(LINES)
      .flat()
      .map(([, call]) => call),
  ),
];

describe('a token', () => {
  it.each(CALLS)('is needed for %s', async (call) => {
    const { status, body } = await send((await same()).anonymous, call);

    expect(status).toBe(401);
    expect(body).toMatchObject({
      code: 16,
      message: 'Token empty',
      details: [{ error_code: 'UNAUTHENTICATED' }],
    });
  });

  it.each(CALLS)('must be one of ours for %s', async (call) => {
    const { anonymous } = await same();

    const { status, body } = await send(anonymous, call).set('authorization', 'Bearer none');

    expect([status, body.code]).toEqual([401, 16]);
  });

  it('is a JWT with a lifetime, from a form with a client and its secret', async () => {
    const { anonymous } = await same();
    const form = { client_id: 'skc_1000000000000000001', client_secret: 'test_understudy_default_secret' };

    const ask = (more: object) =>
      anonymous
        .post('/oauth/token')
        .type('form')
        .send({ ...form, ...more });
    const { body } = await ask({ grant_type: 'client_credentials' }).expect(200);

    expect(body).toMatchObject({
      token_type: 'Bearer',
      expires_in: expect.any(Number),
      scope: expect.any(String),
    });
    expect(decodeJwt(body.access_token).exp).toBeGreaterThan(0);
    await ask({ grant_type: 'client_credentials', client_secret: 'wrong' }).expect(401);
    await ask({}).expect(400);
  });
});
