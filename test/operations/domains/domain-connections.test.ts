import { describe, expect, it } from 'vitest';
import { boot } from '../../support/boot.ts';
import { invalid, notFound } from '../../support/violations.ts';
import { PENDING_DOMAIN } from '../../support/fixture-ids.ts';

const ACME = '/api/v1/organizations/org_10000000000000001';

const namesIn = ({ domains }: { domains: { domain: string }[] }) => domains.map(({ domain }) => domain);

describe('the connection_id parameter of the domain operations', () => {
  const OKTA = 'conn_10000000000000251';
  const UNKNOWN = notFound('connection conn_9 not found');

  it('filters the list by the domains of the connection', async () => {
    const { api, control } = await boot();
    const served = { domain_ids: [PENDING_DOMAIN] };

    const proved = await api.get(`${ACME}/domains?connection_id=${OKTA}`).expect(200);
    await control.patch(`/state/connections/${OKTA}`).send(served).expect(200);
    const assigned = await api.get(`${ACME}/domains?connection_id=${OKTA}`).expect(200);

    expect(namesIn(proved.body)).toEqual(['acme.example']);
    expect(namesIn(assigned.body)).toEqual(['acme-labs.example']);
  });

  it('adds a new domain to the domains of the connection', async () => {
    const { api, control } = await boot();
    await control
      .patch(`/state/connections/${OKTA}`)
      .send({ domain_ids: [PENDING_DOMAIN] })
      .expect(200);

    const path = `${ACME}/domains?connection_id=${OKTA}`;
    const created = await api.post(path).send({ domain: 'new.example' }).expect(200);

    const { body } = await control.get(`/state/connections/${OKTA}`).expect(200);
    expect(body.domain_ids).toEqual([PENDING_DOMAIN, created.body.domain.id]);
  });

  it('refuses the 51st domain of a connection and does not create it', async () => {
    const { api } = await boot();
    const path = `${ACME}/domains?connection_id=${OKTA}`;
    for (let n = 1; n < 50; n += 1)
      await api
        .post(path)
        .send({ domain: `d${n}.example` })
        .expect(200);
    const pending = { domain: 'late.example', domain_type: 'ALLOWED_EMAIL_DOMAIN' };

    const refused = await api.post(path).send(pending).expect(400);

    expect(refused.body).toEqual(invalid(`connection ${OKTA} may have no more than 50 domains`));
    const { body } = await api.get(`${ACME}/domains?page_size=100`).expect(200);
    expect(namesIn(body)).not.toContain('late.example');
  });

  it('answers 404 for the deletion of a domain that the connection does not have', async () => {
    const { api } = await boot();
    const path = (id: string) => `${ACME}/domains/${id}?connection_id=${OKTA}`;

    const refused = await api.delete(path(PENDING_DOMAIN)).expect(404);
    await api.delete(path('dom_10000000000000271')).expect(200);

    expect(refused.body).toEqual(notFound(`domain ${PENDING_DOMAIN} not found`));
  });

  it('answers 404 for a connection that the organization does not have', async () => {
    const { api } = await boot();

    const created = await api.post(`${ACME}/domains?connection_id=conn_9`).send({ domain: 'new.example' });
    const deleted = await api.delete(`${ACME}/domains/${PENDING_DOMAIN}?connection_id=conn_9`);

    expect([created.body, deleted.body]).toEqual([UNKNOWN, UNKNOWN]);
    expect(namesIn((await api.get(`${ACME}/domains`)).body)).toHaveLength(3);
  });
});
