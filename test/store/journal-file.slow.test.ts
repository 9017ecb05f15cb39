import {
  appendFileSync,
  copyFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Config } from '../../src/start/config.ts';
import { boot, type Agent, type Booted } from '../support/boot.ts';
import { metricsOf } from '../support/metrics.ts';
import { eventually } from '../support/process.ts';
import { makeFolder } from './support.ts';

const LIST = '/api/v1/organizations';

const start = (data: string, config: Partial<Config> = {}) =>
  boot({ data, fixture: 'empty', journalStore: true, now: '2030-01-01T00:00:00Z', ...config });

/** A simulator after a clean stop of the one before. */
async function afterStop(before: Booted, data: string, config: Partial<Config> = {}): Promise<Booted> {
  await before.understudy.close();
  return start(data, config);
}

/** Resolves once so many calls are stored. */
const stored = ({ anonymous }: Booted, count: number) =>
  eventually(
    async () => (await metricsOf(anonymous)).get('understudy_journal_calls_total{result="stored"}') ?? 0,
    (found) => found >= count,
  );

interface Listed {
  id: string;
  path: string;
}

const requests = async (control: Agent, query: object = {}): Promise<Listed[]> =>
  (await control.get('/requests').query(query).expect(200)).body.requests;

const idsOf = (calls: readonly Listed[]) => calls.map(({ id }) => id);

/** Calls with everything that an entry may have. */
async function callEverything({ api, anonymous, control }: Booted): Promise<void> {
  const rules = [{ on: 'OrganizationService_ListOrganization', times: 1, reply: { error: 'unavailable' } }];
  await control.post('/scenarios').send({ name: 'outage', rules }).expect(201);
  await api.get(LIST).expect(503);
  const created = await api.post(LIST).send({ display_name: 'Acme', colour: 'red' }).expect(201);
  const { id } = created.body.organization;
  await api.patch(`${LIST}/${id}`).send({ display_name: 'Acme 2' }).expect(200);
  await api.post(LIST).send({ display_name: 7 }).expect(400);
  await api.post(LIST).send({ display_name: 'B', metadata: { long: 'x'.repeat(50_000) } });
  await anonymous.get('/no/such/path?token=abcdefgh').expect(404);
}

describe('--journal-store with --data', () => {
  it('shows the calls of an earlier process as it showed them, and ids go on', async () => {
    const data = makeFolder();
    const first = await start(data);
    await callEverything(first);
    const before = await requests(first.control);

    const second = await afterStop(first, data);

    const after = await requests(second.control);
    expect(after.slice(0, before.length)).toEqual(before);
    expect(after[before.length]!.id).toBe(`req_${before.length + 1}`);
    const match = { operation: 'OrganizationService_CreateOrganization', body: { display_name: 'Acme' } };
    await second.control.post('/requests/verify').send({ match, times: 1 }).expect(200);
    expect((await second.control.get(`/requests/${before[1]!.id}`).expect(200)).body).toMatchObject(
      before[1]!,
    );
  });

  it('keeps calls behind their answers, so that a kill leaves them, and gives no id twice', async () => {
    const [data, copy] = [makeFolder(), makeFolder()];
    const first = await start(data);
    await callEverything(first);
    const before = await requests(first.control);
    await stored(first, before.length);
    for (const file of readdirSync(data).filter((name) => name.startsWith('default.')))
      copyFileSync(join(data, file), join(copy, file));

    const { control } = await start(copy);

    const after = await requests(control);
    expect(after.slice(0, before.length)).toEqual(before);
    const next = Number(after[before.length]!.id.slice('req_'.length));
    expect(next).toBeGreaterThan(before.length + 1000);
    const since = await requests(control, { since: before.at(-1)!.id });
    expect(idsOf(since)).toEqual([`req_${next}`]);
  });

  it('replaces secrets where it shows the calls, and only the owner may read the file', async () => {
    const data = makeFolder();
    const first = await start(data);
    await first.api.get(LIST).expect(200);

    const second = await afterStop(first, data);

    const shown = await second.control.get('/requests').expect(200);
    expect(shown.text).toContain('[redacted]');
    expect(shown.text).not.toContain(first.token);
    expect(statSync(join(data, 'default.journal')).mode & 0o077).toBe(0);
  });

  it.each([
    ['cleared', (control: Agent) => control.delete('/requests').expect(204)],
    ['reset', (control: Agent) => control.post('/reset?only=requests').expect(204)],
  ])('keeps nothing from before the journal was %s', async (how, empty) => {
    const data = makeFolder();
    const first = await start(data);
    await first.api.get(LIST).expect(200);
    await stored(first, 2);
    await empty(first.control);
    await first.api.get(LIST).expect(200);
    const kept = await requests(first.control);

    const second = await afterStop(first, data);

    expect(idsOf(kept)).toEqual([how === 'reset' ? 'req_1' : 'req_3']);
    expect((await requests(second.control)).slice(0, 1)).toEqual(kept);
  });

  it('keeps no more than the journal does', async () => {
    const data = makeFolder();
    const journal = { entries: 5, bytes: 200_000, redact: true };
    const first = await start(data, { journal });
    const organization = { display_name: 'A', metadata: { note: 'x'.repeat(200) } };
    for (let call = 0; call < 300; call += 1) await first.api.post(LIST).send(organization).expect(201);
    const before = await requests(first.control);

    const second = await afterStop(first, data, { journal });

    expect(idsOf(before)).toEqual(['req_297', 'req_298', 'req_299', 'req_300', 'req_301']);
    expect(idsOf(await requests(second.control))).toEqual([...idsOf(before).slice(1), 'req_302']);
    await second.control.get('/requests').query({ since: 'req_100' }).expect(404);
    expect(statSync(join(data, 'default.journal')).size).toBeLessThan(200_000);
  });

  it('removes the calls of an environment that is dropped, and forks begin without calls', async () => {
    const data = makeFolder();
    const first = await start(data);
    const other = await first.environment('other', { persist: true });
    await other.api.get(LIST).expect(200);
    const fork = (await first.control.post('/environments/other/fork').send({}).expect(201)).body.name;
    expect(await requests(first.control, {})).not.toEqual([]);
    expect((await first.control.get(`/environments/${fork}/requests`).expect(200)).body.requests).toEqual([]);
    await eventually(
      () => existsSync(join(data, 'other.journal')),
      (isThere) => isThere,
    );

    await first.control.delete('/environments/other').expect(204);

    expect(readdirSync(data).filter((name) => name.startsWith('other'))).toEqual([]);
  });

  it('leaves out a damaged line with a warning', async () => {
    const data = makeFolder();
    const first = await start(data);
    await first.api.get(LIST).expect(200);
    await first.understudy.close();
    appendFileSync(join(data, 'default.journal'), 'oops\n');

    const { control, lines } = await start(data);

    expect(idsOf(await requests(control)).slice(0, 2)).toEqual(['req_1', 'req_2']);
    expect(lines.join('\n')).toMatch(/default\.journal:\d+: this line is no list of calls and is left out/);
  });

  it('leaves out a line that does not fit its checksum, with a warning', async () => {
    const data = makeFolder();
    const first = await start(data);
    await first.api.get(LIST).expect(200);
    await first.understudy.close();
    const path = join(data, 'default.journal');
    const text = readFileSync(path, 'utf8');
    writeFileSync(
      path,
      text.replaceAll('OrganizationService_ListOrganization', 'OrganizationService_ListOrganizatiom'),
    );

    const { control, lines } = await start(data);

    expect(JSON.stringify(await requests(control))).not.toContain('ListOrganizatiom');
    expect(lines.join('\n')).toMatch(
      /default\.journal:\d+: this line does not fit its checksum and is left out/,
    );
  });

  it('leaves nothing on the disk without the flag', async () => {
    const data = makeFolder();
    const first = await start(data, { journalStore: false });
    await first.api.get(LIST).expect(200);
    await first.understudy.close();

    expect(readdirSync(data).filter((name) => name.endsWith('.journal'))).toEqual([]);
    const all = readdirSync(data).map((name) => readFileSync(join(data, name), 'utf8'));
    expect(all.join('')).not.toContain('OrganizationService_ListOrganization');
  });
});
