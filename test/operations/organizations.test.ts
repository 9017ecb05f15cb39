import { describe, expect, it } from 'vitest';
import { boot } from '../support/boot.ts';

describe('OrganizationService_CreateOrganization', () => {
  it('stores the organization', async () => {
    const { api } = await boot({ now: '2030-01-01T00:00:00Z' });

    const created = await api.post('/api/v1/organizations').send({ display_name: 'Acme' }).expect(201);

    const organization = {
      id: expect.stringMatching(/^org_\d{17,}$/),
      display_name: 'Acme',
      region_code: 'US',
      metadata: {},
      create_time: '2030-01-01T00:00:00.000Z',
      update_time: '2030-01-01T00:00:00.000Z',
    };
    expect(created.body).toEqual({ organization });
    const read = await api.get(`/api/v1/organizations/${created.body.organization.id}`).expect(200);
    expect(read.body).toEqual(created.body);
  });

  it('refuses an external_id that is already taken, and keeps nothing', async () => {
    const { api } = await boot({ fixture: 'empty' });
    const acme = { display_name: 'Acme', external_id: 'crm-1' };
    await api.post('/api/v1/organizations').send(acme).expect(201);

    const refused = await api.post('/api/v1/organizations').send(acme).expect(400);

    expect(refused.body).toMatchObject({ code: 3, message: 'duplicate external_id crm-1' });
    const list = await api.get('/api/v1/organizations').expect(200);
    expect(list.body.total_size).toBe(1);
  });
});
