import { describe, expect, it } from 'vitest';
import { boot } from '../support/boot.ts';
import { refusal, tooLong, tooShort } from '../support/violations.ts';

const PATH = '/api/v1/connections';
const ids = (body: { connections: { id: string }[] }) => body.connections.map(({ id }) => id);

describe('ConnectionService_ListConnections', () => {
  it('shows a connection with its organization', async () => {
    const { api } = await boot();

    const listed = await api.get(`${PATH}?organization_id=org_10000000000000001`).expect(200);

    expect(listed.body).toEqual({
      connections: [
        {
          id: 'conn_10000000000000251',
          provider: 'OKTA',
          provider_key: 'OKTA',
          type: 'OIDC',
          status: 'COMPLETED',
          enabled: true,
          organization_id: 'org_10000000000000001',
          organization_name: 'Acme Corp',
          ui_button_title: 'Sign in with Okta',
          domains: ['acme.example'],
          key_id: '',
          created_at: '2026-01-13T09:00:00.000Z',
          mcp_server_url: '',
        },
      ],
    });
  });

  it('shows the connections of the whole environment without an organization', async () => {
    const { api } = await boot({ baseUrl: 'https://idp.example' });

    const listed = await api.get(PATH).expect(200);

    const byKey = new Map(listed.body.connections.map((c: { key_id: string }) => [c.key_id, c]));
    expect(byKey.get('gmail')).toMatchObject({
      organization_id: '',
      organization_name: '',
      mcp_server_url: '',
    });
    expect(byKey.get('apifymcp')).toMatchObject({
      mcp_server_url: 'https://idp.example/mcp/v3/connections/apifymcp',
    });
    expect([...byKey.keys()]).toEqual(expect.arrayContaining(['gmail', 'slack', 'github', 'notion']));
  });

  it('leaves out what is unfinished or switched off, unless all are asked for', async () => {
    const { api, control } = await boot();
    await control.patch('/state/connections/conn_10000000000000201').send({ enabled: false }).expect(200);
    await control.patch('/state/connections/conn_10000000000000202').send({ status: 'DRAFT' }).expect(200);
    const hidden = ['201', '202', '252', '253'].map((end) => `conn_10000000000000${end}`);

    const usable = await api.get(PATH).expect(200);
    const all = await api.get(`${PATH}?include=all`).expect(200);

    expect(ids(all.body)).toEqual(expect.arrayContaining(hidden));
    expect(ids(usable.body)).toEqual(ids(all.body).filter((id) => !hidden.includes(id)));
  });

  it('finds those that serve a domain, whatever the case', async () => {
    const { api, control } = await boot();
    const wide = { domains: ['other.example', 'Acme.Example'] };
    await control.patch('/state/connections/conn_10000000000000201').send(wide).expect(200);

    const listed = await api.get(`${PATH}?domain=ACME.example`).expect(200);
    const narrower = await api
      .get(`${PATH}?domain=acme.example&organization_id=org_10000000000000001`)
      .expect(200);
    const none = await api.get(`${PATH}?domain=example`).expect(200);

    expect(ids(listed.body)).toEqual(['conn_10000000000000201', 'conn_10000000000000251']);
    expect(ids(narrower.body)).toEqual(['conn_10000000000000251']);
    expect(none.body).toEqual({ connections: [] });
  });

  it('is an empty list for an organization without any', async () => {
    const { api } = await boot();

    const listed = await api.get(`${PATH}?organization_id=org_9&include=all`).expect(200);

    expect(listed.body).toEqual({ connections: [] });
  });

  it('wants organization and domain of 1 to 32 characters', async () => {
    const { api } = await boot();

    const long = 'x'.repeat(33);
    const refused = await api.get(`${PATH}?organization_id=${long}&domain=`).expect(400);
    const other = await api.get(`${PATH}?organization_id=&domain=${long}`).expect(400);

    expect(refused.body).toEqual(refusal(tooLong(32)('organization_id'), tooShort(1)('domain')));
    expect(other.body).toEqual(refusal(tooShort(1)('organization_id'), tooLong(32)('domain')));
  });
});
