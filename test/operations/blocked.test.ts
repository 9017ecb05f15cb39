import { expect, it } from 'vitest';
import { bootOnce } from '../support/boot.ts';

const { fresh } = bootOnce();

it.each([
  ['get', '/dummy', undefined],
  ['post', '/api/v1/tokens:fetch', { token_id: 'apit_10000000000000001' }],
  ['post', '/webhooks', { id: 'evt_1', environment_id: 'env_1', type: 'USER_LOGIN', user: { id: 'usr_1' } }],
] as const)('%s %s is blocked for every caller', async (verb, path, body) => {
  const { api, anonymous, control } = await fresh();

  const refused = await api[verb](path).send(body);
  const without = await anonymous[verb](path).send(body);

  expect([refused.status, refused.body.code, without.status]).toEqual([403, 7, 401]);
  const { requests } = (await control.get('/requests').expect(200)).body;
  expect(JSON.stringify(requests)).toContain('requests/blocked-operations');
});
