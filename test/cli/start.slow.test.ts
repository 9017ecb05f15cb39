import { expect, it } from 'vitest';
import { serve } from '../support/process.ts';

it('a start and a first client load no bundle but the program', async () => {
  const service = await serve([], { variables: { NODE_DEBUG: 'module' } });
  const api = await service.login();
  const { body } = await api.get('/api/v1/organizations').expect(200);
  await api.get(`/api/v1/organizations/${body.organizations[0].id}`).expect(200);
  const { stderr } = await service.stop();

  const loaded = [...stderr.matchAll(/load "[^"]*\/([^/"]+?)(?:-[A-Z0-9]{8})?\.(?:cjs|json)"/g)].map(
    ([, name]) => name,
  );
  expect(loaded).toEqual(['codes']); // names of statuses, which Express reads
});
