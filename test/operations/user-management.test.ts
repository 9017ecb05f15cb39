import { describe, expect, it } from 'vitest';
import { boot } from '../support/boot.ts';
import { noPrefix, notFound, refusal, required } from '../support/violations.ts';

const PATH = '/api/v1/organizations';
const ACME = `${PATH}/org_10000000000000001`;
const NORDWIND = `${PATH}/org_10000000000000002`;

describe('the user-management settings of an organization', () => {
  const settings = (organization: string) => `${organization}/settings/usermanagement`;

  it('have no limit before one is set', async () => {
    const { api } = await boot();

    const none = await api.get(settings(ACME)).expect(200);
    const some = await api.get(settings(NORDWIND)).expect(200);

    expect(none.body).toEqual({ settings: {} });
    expect(some.body).toEqual({ settings: { max_allowed_users: 25 } });
  });

  it.each([150, 0, 2_147_483_647])('keep a limit of %i', async (max_allowed_users) => {
    const { api } = await boot();

    const set = await api.patch(settings(ACME)).send({ settings: { max_allowed_users } }).expect(200);

    expect(set.body).toEqual({ settings: { max_allowed_users } });
    const read = await api.get(settings(ACME)).expect(200);
    expect(read.body).toEqual(set.body);
  });

  it.each([{}, { max_allowed_users: null }])('lose the limit with %o', async (wanted) => {
    const { api } = await boot();

    const set = await api.patch(settings(NORDWIND)).send({ settings: wanted }).expect(200);

    expect(set.body).toEqual({ settings: {} });
  });

  it('want settings, and no negative number', async () => {
    const { api } = await boot();

    const missing = await api.patch(settings(ACME)).send({}).expect(400);
    const negative = await api
      .patch(settings(ACME))
      .send({ settings: { max_allowed_users: -1 } })
      .expect(400);

    expect(missing.body).toEqual(refusal(required('settings')));
    expect(negative.body.details[0].validation_error_info.field_violations[0].field).toBe(
      'settings.max_allowed_users',
    );
  });
});

describe.each([
  ['get', 'settings/usermanagement', undefined],
  ['patch', 'settings/usermanagement', { settings: {} }],
] as const)('%s %s', (verb, path, body) => {
  it('wants an organization that is there', async () => {
    const { api } = await boot();

    const unknown = await api[verb](`${PATH}/org_9/${path}`).send(body).expect(404);
    const malformed = await api[verb](`${PATH}/acme/${path}`).send(body).expect(400);

    expect(unknown.body).toEqual(notFound('organization org_9 not found'));
    expect(malformed.body).toEqual(refusal(noPrefix('org_')('organization_id')));
  });
});
