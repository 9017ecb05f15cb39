import { describe, expect, it } from 'vitest';
import { bootOnce, type Agent } from '../support/boot.ts';
import { ACME } from '../support/fixture-ids.ts';

const { fresh } = bootOnce();

describe('An answer with a secret', () => {
  it.each<[string, (api: Agent) => Promise<{ headers: Record<string, string> }>]>([
    [
      'a new client secret',
      async (api) => api.post(`/api/v1/organizations/${ACME}/clients`).send({ name: 'CI' }),
    ],
    [
      'a link to the admin portal',
      async (api) => api.put(`/api/v1/organizations/${ACME}/portal_links`).send({}),
    ],
    [
      'the credentials of an account',
      async (api) => api.get('/api/v1/connected_accounts/auth?connector=gmail&identifier=default'),
    ],
    ['the secret of an interceptor', async (api) => api.get('/api/v1/interceptors')],
  ])('is never cached: %s', async (_, call) => {
    const { api } = await fresh();

    const { headers } = await call(api);

    expect(headers['cache-control']).toBe('no-store');
  });

  it('is never cached by the control API', async () => {
    const { control } = await fresh();

    expect((await control.get('/state').expect(200)).headers['cache-control']).toBe('no-store');
    expect((await control.get('/state/clients').expect(200)).headers['cache-control']).toBe('no-store');
  });

  it('is an exception: others say nothing about caches', async () => {
    const { api } = await fresh();

    expect((await api.get('/api/v1/organizations').expect(200)).headers).not.toHaveProperty('cache-control');
  });
});
