import { describe, expect, it } from 'vitest';
import { bootOnce } from '../support/boot.ts';
import { Browser } from '../support/browser.ts';
import { receiver } from '../support/receiver.ts';
import { aResource, ADA, authorizeUrl, CALLBACK, registered } from '../support/resources.ts';
import { TASK_SERVER } from '../support/fixture-ids.ts';

const { fresh } = bootOnce();

describe('The clients that may come by themselves to a resource', () => {
  it('are 1000; a registration and a metadata document beyond them are refused', async () => {
    const booted = await fresh();
    const { api, anonymous, control } = booted;
    const path = `${booted.own.name}.${TASK_SERVER}`;
    const { client_id } = await registered(booted, path);
    const { body: state } = await control.get('/state').expect(200);
    const [row] = state.clients.filter(({ id }: { id: string }) => id === client_id);
    const more = Array.from({ length: 999 }, (_, at) => ({ ...row, id: `m2m_${5_000_000_000_000 + at}` }));
    await control
      .put('/state')
      .send({ ...state, clients: [...state.clients, ...more] })
      .expect(204);
    const client = { redirect_uris: [CALLBACK], token_endpoint_auth_method: 'none' };
    const document = await receiver();
    const url = document.url.replace('/asked', '/client.json');
    document.answers({ client_id: url, redirect_uris: [CALLBACK] });

    const refused = await anonymous
      .post(`/api/v1/resources/${path}/clients:register`)
      .send(client)
      .expect(403);
    const page = await new Browser(booted).open(authorizeUrl(path, { client_id: url }));
    await api.delete(`/api/v1/resources/${TASK_SERVER}/clients/${client_id}`).expect(200);
    await registered(booted, path);

    expect(refused.body).toMatchObject({
      error: 'access_denied',
      error_description: expect.stringMatching(
        /may have no more than 1000 clients that registered themselves.*delete some/,
      ),
    });
    expect(page.status).toBe(403);
    expect(page.text).toContain('may have no more than 1000 clients that registered themselves');
  });

  it('do not count for another resource', async () => {
    const booted = await fresh();
    const { id } = await aResource(booted.api);

    await registered(booted, `${booted.own.name}.${id}`);
  });
});

describe('A resource with 50 000 scopes', () => {
  it('is changed and asked for them about as fast as it is created', async () => {
    const booted = await fresh();
    const scopes = Array.from({ length: 50_000 }, (_, at) => `scope${at}`);
    const timed = async <T>(run: () => Promise<T>) => {
      const start = process.cpuUsage();
      const result = await run();
      const { user, system } = process.cpuUsage(start);
      return { result, microseconds: user + system };
    };
    const created = await timed(() => aResource(booted.api, { scopes }));
    const { id } = created.result;
    const path = `${booted.own.name}.${id}`;
    const { client_id } = await registered(booted, path);
    const { search } = new URL(authorizeUrl(path, { client_id }), 'http://localhost');
    const form = {
      ...Object.fromEntries(new URLSearchParams(search)),
      scope: scopes.join(' '),
      understudy_auto: '1',
      login_hint: ADA.email,
    };

    const changed = await timed(() =>
      booted.api.patch(`/api/v1/resources/${id}`).send({ description: 'changed' }).expect(200),
    );
    const asked = await timed(() =>
      booted.anonymous.post(`/resources/${path}/oauth/authorize`).type('form').send(form).expect(303),
    );

    expect(asked.result.headers['location']).toContain('code=');
    // Each of them took seven to ten times as long as the creation when its time grew with the square.
    for (const { microseconds } of [changed, asked])
      expect(microseconds).toBeLessThan(3 * created.microseconds);
  });
});
