import { describe, expect, it } from 'vitest';
import { boot } from '../../support/boot.ts';
import { toldBy, typesOf } from '../../support/events.ts';
import { portalLink } from '../../support/portal.ts';
import { PENDING_DOMAIN } from '../../support/fixture-ids.ts';

const ACME = '/api/v1/organizations/org_10000000000000001';
const FAILED = 'dom_10000000000000275';
const NORDWIND = '/api/v1/organizations/org_10000000000000002';
const NOON = '2030-01-01T12:00:00.000Z';
const ONE = '2030-01-01T13:00:00.000Z';
const OPEN_FOR_AN_HOUR = { verification_status: 'PENDING', verify_before: ONE };

const acmeLabs = {
  id: PENDING_DOMAIN,
  domain: 'acme-labs.example',
  domain_type: 'ORGANIZATION_DOMAIN',
  organization_id: 'org_10000000000000001',
  environment_id: 'env_10000000000000001',
  txt_record_key: 'scalekit-domain-verification',
  txt_record_secret: 'sk_dom_verify_3_test',
  verification_method: 'DNS',
};

describe('the events of a domain', () => {
  it('include its creation and deletion', async () => {
    const { api } = await boot({ now: NOON });
    let id = '';

    const events = await toldBy(api, async () => {
      const { body } = await api.post(`${ACME}/domains`).send({ domain: 'acme.fr' }).expect(200);
      id = body.domain.id;
      await api.delete(`${ACME}/domains/${id}`).expect(200);
    });

    const data = {
      ...acmeLabs,
      id,
      domain: 'acme.fr',
      txt_record_key: '',
      txt_record_secret: '',
      verification_status: 'VERIFIED',
      verification_method: 'ADMIN',
      updated_at: NOON,
    };
    const about = { object: 'Organization', organization_id: 'org_10000000000000001', data };
    expect(events).toMatchObject([
      { ...about, type: 'organization.domain_created', display_name: 'Organization Domain Created' },
      { ...about, type: 'organization.domain_deleted', display_name: 'Organization Domain Deleted' },
    ]);
    expect(events.map((event) => event.data)).toEqual([data, data]);
  });

  it('include domain_dns_verification_success when the TXT record is found', async () => {
    const { api, control } = await boot({ now: NOON });
    await control.patch(`/state/domains/${PENDING_DOMAIN}`).send(OPEN_FOR_AN_HOUR).expect(200);

    const events = await toldBy(api, async () => {
      await api.patch(`${ACME}/domains/${PENDING_DOMAIN}:verify`).expect(200);
      await api.patch(`${ACME}/domains/${PENDING_DOMAIN}:verify`).expect(200);
    });

    expect(typesOf(events)).toEqual(['organization.domain_dns_verification_success']);
    expect(events[0]!.data).toEqual({ ...acmeLabs, verification_status: 'VERIFIED', updated_at: NOON });
  });

  it('include domain_dns_verification_failed when the clock passes the deadline', async () => {
    const { api, control } = await boot({ now: NOON });
    await control.patch(`/state/domains/${PENDING_DOMAIN}`).send(OPEN_FOR_AN_HOUR).expect(200);

    const events = await toldBy(api, () => control.post('/clock/advance').send({ by: '3h' }).expect(200));

    expect(typesOf(events)).toEqual(['organization.domain_dns_verification_failed']);
    expect(events[0]).toMatchObject({ occurred_at: ONE, organization_id: acmeLabs.organization_id });
    expect(events[0]!.data).toEqual({ ...acmeLabs, verification_status: 'FAILED', updated_at: ONE });
  });

  it('include changes by an administrator in the portal', async () => {
    const { api, anonymous, control } = await boot();
    const { headers } = await anonymous.get(await portalLink(api)).expect(302);
    const [cookie = ''] = String(headers['set-cookie']).split(';');
    const { csrf_token } = (await control.get('/state').expect(200)).body.portal_sessions[0];
    const submit = (path: string, form: object = {}) =>
      anonymous
        .post(`/portal/domains${path}`)
        .set({ cookie })
        .type('form')
        .send({ csrf_token, ...form });

    const events = await toldBy(api, async () => {
      await submit('', { domain: 'nordwind.fr' }).expect(303);
      const { rows } = (await control.get('/state/domains').expect(200)).body;
      const { id } = rows.find(({ domain }: { domain: string }) => domain === 'nordwind.fr');
      await submit(`/${id}/verify`).expect(303);
      await submit(`/${id}/remove`).expect(303);
    });

    expect(events.map(({ type, data }) => [type, data['verification_status']])).toEqual([
      ['organization.domain_created', 'PENDING'],
      ['organization.domain_dns_verification_success', 'VERIFIED'],
      ['organization.domain_deleted', 'VERIFIED'],
    ]);
  });

  it('leave out calls that fail or change nothing', async () => {
    const { api, control } = await boot();
    await control.patch(`/state/domains/${PENDING_DOMAIN}`).send({ txt_record_found: false }).expect(200);

    const events = await toldBy(api, async () => {
      await api.post(`${ACME}/domains`).send({ domain: 'acme.example' }).expect(400);
      await api.patch(`${ACME}/domains/${PENDING_DOMAIN}:verify`).expect(200);
      await api.patch(`${NORDWIND}/domains/${FAILED}:verify`).expect(200);
      await api.delete(`${ACME}/domains/${FAILED}`).expect(404);
    });

    expect(events).toEqual([]);
  });
});
