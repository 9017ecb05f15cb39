import { expect, describe, it } from 'vitest';
import { boot } from '../support/boot.ts';

describe('Control_ListReplicas without a database', () => {
  it('lists this process, which owns all its environments', async () => {
    const { control, environment } = await boot();
    await environment('worker');

    const { body } = await control.get('/replicas').expect(200);

    expect(body).toEqual({
      replicas: [{ id: 'self', self: true, alive: true, environments: 2 }],
      environments: 2,
      unowned: 0,
    });
  });
});

describe('Control_ListReplicaEnvironments without a database', () => {
  it('lists the environments of this process by name, page by page', async () => {
    const { control, environment } = await boot();
    for (const name of ['worker-2', 'worker-1']) await environment(name);
    const page = async (query: object) =>
      (await control.get('/replicas/self/environments').query(query).expect(200)).body;

    expect(await page({ limit: 2 })).toEqual({ environments: [{ name: 'default' }, { name: 'worker-1' }] });
    expect(await page({ limit: 2, after: 'worker-1' })).toEqual({ environments: [{ name: 'worker-2' }] });
  });

  it('knows no other replica and no environment without an owner', async () => {
    const { control } = await boot();

    const { body: none } = await control.get('/replicas/none/environments').expect(200);
    const { body: unknown } = await control.get('/replicas/slef/environments').expect(404);

    expect(none).toEqual({ environments: [] });
    expect(unknown.message).toBe('replica slef not found; did you mean self?');
    await control.get('/replicas/self/environments').query({ limit: 0 }).expect(400);
  });
});
