import { describe, expect, it } from 'vitest';
import { KNOWN_CREDENTIALS } from '../../../src/start/config.ts';
import { boot } from '../../support/boot.ts';
import { portalLink } from '../../support/portal.ts';
import { invalid } from '../../support/violations.ts';

const SERVICE = 'https://idp.acme.example';
const pathOf = (origin: string) => `/api/v1/domains/${encodeURIComponent(origin)}`;

describe('DomainService_ListAuthorizedDomains', () => {
  const wanted = { post_login_uris: ['https://desk.example.com/callback', 'https://desk.example.com/other'] };

  it('lists the registered origins for the own origin, without a token', async () => {
    const { anonymous, control } = await boot({ baseUrl: SERVICE });
    const { body: state } = await control.get('/state/clients').expect(200);
    for (const { id } of state.rows)
      await control
        .patch(`/state/clients/${id}`)
        .send({ post_login_uris: [], post_logout_redirect_uris: [] })
        .expect(200);
    await anonymous.get(pathOf(SERVICE)).expect(200, { domains: [] });

    await control.patch(`/state/clients/${KNOWN_CREDENTIALS.client_id}`).send(wanted).expect(200);

    await anonymous.get(pathOf(SERVICE)).expect(200, { domains: ['https://desk.example.com'] });
    await anonymous
      .get(pathOf('https://desk.example.com/'))
      .expect(200, { domains: ['https://desk.example.com'] });
    await anonymous.get(pathOf('https://other.example.com')).expect(200, { domains: [] });
  });

  it('refuses what is no origin, and a link that is not there', async () => {
    const { api, anonymous } = await boot({ baseUrl: SERVICE });
    const link = (await portalLink(api)).slice('/magicLink/'.length);

    const refused = await anonymous.get(pathOf('desk')).expect(400);

    expect(refused.body).toEqual(invalid('origin desk is no address'));
    await anonymous.get(`${pathOf(SERVICE)}?link_id=${link}`).expect(200);
    await anonymous.get(`${pathOf(SERVICE)}?link_id=${link.replace('_p', '_pc')}`).expect(200);
    await anonymous.get(`${pathOf(SERVICE)}?link_id=2f6b9c1e-8f0f-4c55-9c39-5b8f5a1f7f10`).expect(404);
  });
});

describe('DomainService_UpdateDomain', () => {
  const DOMAIN = '/api/v1/organizations/org_10000000000000001/domains/dom_10000000000000273';
  const CONNECTION = 'conn_10000000000000251';

  it('changes nothing without a connection', async () => {
    const { api } = await boot();
    const { body: before } = await api.get(DOMAIN).expect(200);

    await api.patch(DOMAIN).send({}).expect(200, before);
    await api.patch(DOMAIN).expect(200, before);
  });

  it('assigns the domain to a connection', async () => {
    const { api } = await boot();

    const { body } = await api.patch(`${DOMAIN}?connection_id=${CONNECTION}`).send({}).expect(200);

    const connection = await api
      .get(`/api/v1/organizations/org_10000000000000001/connections/${CONNECTION}`)
      .expect(200);
    expect(connection.body.connection.domains.map(({ id }: { id: string }) => id)).toContain(body.domain.id);
  });

  it('finds neither domains nor connections of another organization', async () => {
    const { api } = await boot();

    await api.patch(DOMAIN.replace('org_10000000000000001', 'org_10000000000000002')).send({}).expect(404);
    await api.patch(`${DOMAIN}?connection_id=conn_9`).send({}).expect(404);
  });
});
