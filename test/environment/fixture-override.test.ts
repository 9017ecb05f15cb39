import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { boot } from '../support/boot.ts';

const ACME = 'org_10000000000000001';
const acme = (changes: object = {}) => ({
  id: ACME,
  create_time: '2026-01-07T09:00:00.000Z',
  update_time: '2026-01-07T09:00:00.000Z',
  display_name: 'Acme AG',
  region_code: 'EU',
  metadata: {},
  ...changes,
});

function fixtureFile(content: object): string {
  const folder = mkdtempSync(join(tmpdir(), 'fixture-test-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'own.json');
  writeFileSync(file, JSON.stringify(content));
  return file;
}

describe('a row with the id of an included row', () => {
  it('replaces the included row, in a file', async () => {
    const { control } = await boot({ fixture: fixtureFile({ include: ['small'], organizations: [acme()] }) });

    const { body } = await control.get('/state/organizations').expect(200);

    expect(body.rows[0]).toEqual(acme());
    expect(body.rows).toHaveLength(3);
  });

  it('replaces the included row, in a call', async () => {
    const { control } = await boot();

    await control
      .put('/state')
      .send({ include: ['default'], organizations: [acme({ metadata: { plan: 'trial' } })] })
      .expect(204);

    const { body } = await control.get('/state/organizations').expect(200);
    expect(body.rows[0]).toEqual(acme({ metadata: { plan: 'trial' } }));
    expect(body.rows).toHaveLength(12);
  });

  it('can come from the fixture that is included last', async () => {
    const { control } = await boot();

    await control
      .put('/state')
      .send({ include: ['demo', 'small'] })
      .expect(204);

    const { body } = await control.get('/state/connections/conn_10000000000000241').expect(200);
    expect(body.enabled).toBe(false);
  });

  it('must be a complete row', async () => {
    const { control } = await boot();
    const { display_name: _, ...part } = acme();

    const { body } = await control
      .put('/state')
      .send({ include: ['default'], organizations: [part] })
      .expect(400);

    expect(body.message).toContain("organizations[0]: must have required property 'display_name'");
  });

  it('can appear once in a file', async () => {
    const { control } = await boot();

    const { body } = await control
      .put('/state')
      .send({ include: ['default'], organizations: [acme(), acme()] })
      .expect(400);

    expect(body.message).toBe(`fixture: organizations[1].id: an earlier row has the id ${ACME} too`);
    const { body: kept } = await control.get(`/state/organizations/${ACME}`).expect(200);
    expect(kept.display_name).toBe('Acme Corp');
  });
});

describe('the fixture default', () => {
  const countsOf = async (fixture: string) => {
    const { control } = await boot({ fixture });
    const { body } = await control.get('/state').expect(200);
    return Object.fromEntries(
      Object.entries(body as Record<string, unknown[]>).map(([name, rows]) => [name, rows.length]),
    );
  };

  it('has enough rows for lists, sign-ins and connected accounts', async () => {
    const { api } = await boot();

    const { body: first } = await api.get('/api/v1/organizations').expect(200);
    const { body: accounts } = await api.get('/api/v1/connected_accounts?page_size=30').expect(200);

    expect(first).toMatchObject({ total_size: 12, next_page_token: expect.stringMatching(/./) });
    const connectors = accounts.connected_accounts.map(({ connector }: { connector: string }) => connector);
    expect(new Set(connectors)).toEqual(
      new Set([
        'gmail',
        'GMAIL',
        'slack',
        'github',
        'notion',
        'hubspot',
        'googlecalendar',
        'freshdesk',
        'exa',
        'apifymcp',
      ]),
    );
    expect(await countsOf('default')).toMatchObject({
      users: 12,
      directory_users: 3,
      passkeys: 2,
      roles: 4,
    });
  });

  it('differs from demo in the passwordless connection and the organization of sso', async () => {
    const [counts, demo] = [await countsOf('default'), await countsOf('demo')];

    expect(demo).toEqual({
      ...counts,
      organizations: 13,
      domains: 7,
      connections: counts['connections']! + 1,
    });
  });
});
