import { describe, expect, it } from 'vitest';
import type { Agent } from '../support/boot.ts';
import { makeFolder, serve } from '../support/process.ts';

const LIST = '/api/v1/organizations';

const take = (control: Agent, name: string) => control.post('/snapshots').send({ name });
const restore = (control: Agent, name: string) => control.post(`/snapshots/${name}/restore`);
const create = (api: Agent, display_name: string) => api.post(LIST).send({ display_name }).expect(201);
const names = async (api: Agent) =>
  (await api.get(LIST).expect(200)).body.organizations.map((o: { display_name: string }) => o.display_name);

describe('a snapshot of an environment in a data folder', () => {
  it('survives the process, and so does the state that it restored', async () => {
    const folder = makeFolder();
    const first = await serve(['--data', folder, '--fixture', 'empty']);
    const api = await first.login();
    await create(api, 'Kept');
    await take(first.control, 'one').expect(201);
    await create(api, 'Lost');
    await restore(first.control, 'one').expect(204);
    first.kill('SIGKILL');
    await first.exited;

    const second = await serve(['--data', folder, '--fixture', 'empty']);

    expect(await names(await second.login())).toEqual(['Kept']);
    expect((await second.control.get('/snapshots')).body.snapshots).toMatchObject([{ name: 'one' }]);
  });

  it('is restored and deleted by later processes, each after an end without warning', async () => {
    const folder = makeFolder();
    const start = () => serve(['--data', folder, '--fixture', 'empty']);
    const first = await start();
    await create(await first.login(), 'Kept');
    await take(first.control, 'one').expect(201);
    await take(first.control, 'two').expect(201);
    first.kill('SIGKILL');
    await first.exited;

    const second = await start();
    await create(await second.login(), 'Lost');
    await restore(second.control, 'two').expect(204);
    await second.control.delete('/snapshots/one').expect(204);
    second.kill('SIGKILL');
    await second.exited;

    const third = await start();
    expect(await names(await third.login())).toEqual(['Kept']);
    expect((await third.control.get('/snapshots')).body.snapshots).toMatchObject([{ name: 'two' }]);
    await restore(third.control, 'one').expect(404);
    await restore(third.control, 'two').expect(204);
  });
});
