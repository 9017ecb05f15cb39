import { describe, expect, it } from 'vitest';
import { boot, type Agent } from '../../support/boot.ts';
import { noPrefix, refusal } from '../../support/violations.ts';
import { PENDING_DOMAIN } from '../../support/fixture-ids.ts';

const ACME = '/api/v1/organizations/org_10000000000000001';
const NORDWIND = '/api/v1/organizations/org_10000000000000002';
const FAILED = 'dom_10000000000000275';

describe('DomainService_VerifyDomain', () => {
  const verify = async (api: Agent, organization: string, id: string) =>
    (await api.patch(`${organization}/domains/${id}:verify`).expect(200)).body;
  const OPEN_FOR_AN_HOUR = { verification_status: 'PENDING', verify_before: '2030-01-01T01:00:00.000Z' };
  const statusOf = async (api: Agent, organization: string, id: string) =>
    (await api.get(`${organization}/domains/${id}`).expect(200)).body.domain;

  it('verifies a pending domain permanently when the TXT record is found', async () => {
    const { api, control } = await boot({ now: '2030-01-01T00:00:00Z' });
    await control.patch(`/state/domains/${PENDING_DOMAIN}`).send(OPEN_FOR_AN_HOUR).expect(200);
    await control.post('/clock/advance').send({ by: '59m' }).expect(200);

    expect(await verify(api, ACME, PENDING_DOMAIN)).toEqual({ verified: true });

    await control.post('/clock/advance').send({ by: '2m' }).expect(200);
    expect(await statusOf(api, ACME, PENDING_DOMAIN)).toMatchObject({
      verification_status: 'VERIFIED',
      update_time: '2030-01-01T00:59:00.000Z',
    });
  });

  it('keeps a domain PENDING when the TXT record is missing', async () => {
    const { api, control } = await boot();
    await control.patch(`/state/domains/${PENDING_DOMAIN}`).send({ txt_record_found: false }).expect(200);

    expect(await verify(api, ACME, PENDING_DOMAIN)).toEqual({ verified: false });

    expect(await statusOf(api, ACME, PENDING_DOMAIN)).toMatchObject({ verification_status: 'PENDING' });
  });

  it('answers FAILED permanently after the deadline', async () => {
    const { api, control } = await boot({ now: '2030-01-01T00:00:00Z' });
    await control.patch(`/state/domains/${PENDING_DOMAIN}`).send(OPEN_FOR_AN_HOUR).expect(200);

    await control.post('/clock/advance').send({ by: '1h' }).expect(200);

    const failed = { verification_status: 'FAILED', update_time: '2030-01-01T01:00:00.000Z' };
    expect(await statusOf(api, ACME, PENDING_DOMAIN)).toMatchObject(failed);
    expect(await verify(api, ACME, PENDING_DOMAIN)).toEqual({ verified: false });
    expect(await statusOf(api, ACME, PENDING_DOMAIN)).toMatchObject(failed);
  });

  it.each([
    ['VERIFIED', true],
    ['AUTO_VERIFIED', true],
    ['FAILED', false],
  ])(
    'for a domain with status %s answers verified: %s and changes nothing',
    async (verification_status, verified) => {
      const { api, control } = await boot();
      await control.patch(`/state/domains/${FAILED}`).send({ verification_status }).expect(200);
      const before = await statusOf(api, NORDWIND, FAILED);

      expect(await verify(api, NORDWIND, FAILED)).toEqual({ verified });

      expect(await statusOf(api, NORDWIND, FAILED)).toEqual(before);
    },
  );

  it('requires an id with the prefix of a domain', async () => {
    const { api } = await boot();

    const refused = await api.patch(`${ACME}/domains/org_1:verify`).expect(400);

    expect(refused.body).toEqual(refusal(noPrefix('dom')('id')));
  });
});
