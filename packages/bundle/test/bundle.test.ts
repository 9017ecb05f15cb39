import { describe, expect, it } from 'vitest';
import { boot, type Booted } from '../../../test/support/boot.ts';
import { readBundle } from '../src/read.ts';
import { restoreBundle } from '../src/restore.ts';
import { bytesOf, LIST, story, unpacked } from './support/bundles.ts';

const NOW = '2030-01-01T00:00:00Z';

/** Another service, which has the environment of the bundle. */
async function opened(bytes: Uint8Array): Promise<Booted> {
  const elsewhere = await boot();
  const { controls } = elsewhere.understudy;
  await restoreBundle(await readBundle(bytes, controls.contract), controls);
  return elsewhere;
}

const get = async ({ control }: Booted, path: string) => (await control.get(path).expect(200)).body;

describe('a run bundle', () => {
  it('has rows, calls, reasons, clock and scenarios for another service', async () => {
    const here = await boot({ fixture: 'empty', now: NOW });
    await story(here);

    const there = await opened(await bytesOf(here.control));

    const paths = ['/scenarios', '/state/organizations', '/state/counts', '/mail'];
    for (const path of paths) expect(await get(there, path), path).toEqual(await get(here, path));
    expect((await get(there, '/clock')).now).toBe('2030-01-01T01:00:00.000Z');
    const shown = async (booted: Booted) => (await get(booted, '/requests?why=true')).requests as object[];
    const plain = (call: object) => ({ ...call, request: undefined, response: undefined, caller: undefined });
    expect((await shown(there)).map(plain)).toEqual((await shown(here)).map(plain));
  });

  it('has every moment', async () => {
    const here = await boot({ fixture: 'empty', now: NOW });
    await story(here);

    const there = await opened(await bytesOf(here.control));

    for (const at of ['req_2', 'req_3', 'req_9', '1'])
      expect(await get(there, `/state/organizations?at=${at}`)).toEqual(
        await get(here, `/state/organizations?at=${at}`),
      );
    const difference = async (booted: Booted) =>
      (await get(booted, '/difference?from=req_2&to=req_3')) as object;
    expect(await difference(there)).toEqual(await difference(here));
  });

  it('hides what the journal hides, and gives the same secret the same stand-in', async () => {
    const here = await boot({ fixture: 'empty', now: NOW });
    await story(here);
    const secrets = here.own.tables.clients
      .list()
      .flatMap((client) => client.secrets.map(({ secret }) => secret));

    const bundle = unpacked(await bytesOf(here.control));

    const text = JSON.stringify(bundle);
    for (const secret of [...secrets, here.token]) expect(text).not.toContain(secret);
    const [token] = bundle.calls.filter(({ path }) => path === '/oauth/token').slice(-1);
    const { client_secret } = token!.body as { client_secret: string };
    const made = bundle.calls.find(({ path }) => path.endsWith('/clients'))!;
    expect(JSON.parse(made['replyText'] as string)).toMatchObject({ plain_secret: client_secret });
    expect(bundle.stand_ins).toContain(client_secret);
  });

  it('names the test, its file and its failure', async () => {
    const { control } = await boot({ fixture: 'empty' });
    const test = { test: 'a role is created', file: 'test/roles.test.ts', failure: 'expected 200, got 400' };

    expect(unpacked(await bytesOf(control, test)).test).toEqual(test);
  });

  it('has the moments before a reset, which replaces all rows', async () => {
    const here = await boot({ fixture: 'empty', now: NOW });
    const create = (display_name: string) => here.api.post(LIST).send({ display_name }).expect(201);
    await create('Before');
    await here.control.post('/reset').expect(204);
    await here.control.put('/clock').send({ mode: 'frozen', at: NOW });
    await create('After');

    const there = await opened(await bytesOf(here.control));

    expect(await get(there, '/state/organizations')).toMatchObject({ rows: [{ display_name: 'After' }] });
    expect(await get(there, '/state/organizations?at=2')).toMatchObject({
      rows: [{ display_name: 'Before' }],
    });
  });

  it('has the environments of tests, with codes that begin with their names', async () => {
    const here = await boot({ fixture: 'empty' });
    const { api, control } = await here.environment('worker-1', { clock: { mode: 'frozen', at: NOW } });
    await api.post(LIST).send({ display_name: 'Acme' }).expect(201);

    const bytes = await bytesOf(control);
    const there = await opened(bytes);

    const { environment, calls } = unpacked(bytes);
    expect(environment).toMatchObject({ name: 'worker-1', seed: 1, generation: 0 });
    expect(calls.at(-1)!.headers['authorization']).toMatch(/^Bearer eyJ/);
    const listed = await there.control.get('/state/organizations').set('understudy-environment', 'worker-1');
    expect(listed.body).toMatchObject({ rows: [{ display_name: 'Acme' }] });
  });
});
