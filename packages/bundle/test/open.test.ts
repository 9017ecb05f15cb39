import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { boot } from '../../../test/support/boot.ts';
import { openBundle } from '../src/open.ts';
import { bytesOf, LIST, story } from './support/bundles.ts';

const folder = mkdtempSync(join(tmpdir(), 'understudy-bundle-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** The address of a service that has opened the bundle of a story. */
async function opened(): Promise<string> {
  const booted = await boot({ now: '2030-01-01T00:00:00Z' });
  await story(booted);
  const file = join(folder, 'story.understudy');
  writeFileSync(file, await bytesOf(booted.control, { test: 'a story', file: 'story.test.ts' }));
  const { page, close } = await openBundle(file, {});
  onTestFinished(close);
  expect(page).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/_control\/#\/default\/requests$/);
  return new URL(page).origin;
}

const json = async (url: string, method = 'GET', body?: object) => {
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch(url, { method, headers, ...(body && { body: JSON.stringify(body) }) });
  return {
    status: answer.status,
    body: (await answer.json().catch(() => undefined)) as Record<string, never>,
  };
};

describe('an opened bundle', () => {
  it('shows calls with why and trace, and rows at each moment', async () => {
    const url = `${await opened()}/_control/v1`;

    const taken = await json(`${url}/requests/req_5`);
    expect(taken.body).toMatchObject({
      status: 400,
      why: { kind: 'taken', summary: expect.stringContaining('crm-1') },
    });
    const trace = await json(`${url}/requests/req_2/trace`);
    expect(JSON.stringify(trace.body)).toContain('organization');
    const rows = await json(`${url}/state/organizations?at=req_2&contains=crm-1`);
    expect(rows.body).toMatchObject({ rows: [{ display_name: 'Acme' }] });
    expect((await json(`${url}/clock`)).body).toMatchObject({
      mode: 'frozen',
      now: '2030-01-01T01:00:00.000Z',
    });
  });

  it('is read only', async () => {
    const origin = await opened();
    const url = `${origin}/_control/v1`;

    const message = expect.stringContaining(
      'environment default is a bundle, which nothing changes: fork it',
    );
    for (const [method, path, body] of [
      ['POST', '/reset', {}],
      ['DELETE', '/requests', undefined],
      ['PUT', '/clock', { mode: 'real' }],
      ['POST', '/scenarios', { name: 'rate-limit-once' }],
    ] as const)
      expect((await json(url + path, method, body)).body, path).toMatchObject({ message });
    expect((await json(`${origin}${LIST}`)).body).toMatchObject({ message });
    expect((await json(`${url}/requests`)).body).toMatchObject({ kept: 9 });
  });

  it('goes on in a fork', async () => {
    const origin = await opened();

    const fork = await json(`${origin}/_control/v1/environments/default/fork`, 'POST', {
      name: 'again',
      at: 'req_3',
    });
    expect(fork.status).toBe(201);
    const { client_id, client_secret } = fork.body as unknown as Record<string, string>;
    const form = new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: client_id!,
      client_secret: client_secret!,
    });
    const token = (await (await fetch(`${origin}/oauth/token`, { method: 'POST', body: form })).json()) as {
      access_token: string;
    };
    const listed = await fetch(`${origin}${LIST}?page_size=30`, {
      headers: { authorization: `Bearer ${token.access_token}` },
    });
    expect(JSON.stringify(await listed.json())).toContain('Acme Inc');
  });

  it('says what is wrong with a file', async () => {
    const file = join(folder, 'none.understudy');
    await expect(openBundle(file, {})).rejects.toThrow(`${file}: there is no such file`);
    writeFileSync(file, 'PK');
    await expect(openBundle(file, {})).rejects.toThrow(`${file}: the file is no bundle`);
    await expect(openBundle(folder, {})).rejects.toThrow(`${folder}: it is no file`);
  });
});
