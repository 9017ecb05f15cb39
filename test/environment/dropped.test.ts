import { describe, expect, it } from 'vitest';
import { agent, boot, tokenOf, type Booted } from '../support/boot.ts';
import { makeFolder } from '../support/process.ts';
import { ACME, ADA } from '../support/fixture-ids.ts';

type Credentials = { client_id: string; client_secret: string };

const make = async ({ control }: Booted, wanted: object): Promise<Credentials> =>
  (
    await control
      .post('/environments')
      .send({ name: 'dd', ...wanted })
      .expect(201)
  ).body as Credentials;

const drop = ({ control }: Booted) => control.delete('/environments/dd').expect(204);

const statusOf = async ({ understudy }: Booted, token: string) =>
  (await agent(understudy.app, '', { authorization: `Bearer ${token}` }).get(`/api/v1/organizations/${ACME}`))
    .status;

describe('an environment with the name of a dropped one', () => {
  it.each([5, 6])('refuses the token of the old one, which had seed 5: seed %d', async (seed) => {
    const booted = await boot();
    const old = await tokenOf(booted.understudy.app, await make(booted, { seed: 5 }));
    expect(await statusOf(booted, old)).toBe(200);
    await drop(booted);
    const made = await make(booted, { seed });

    expect(await statusOf(booted, old)).toBe(401);
    expect(await statusOf(booted, await tokenOf(booted.understudy.app, made))).toBe(200);
    const { body } = await agent(booted.understudy.app, '', {})
      .post('/oauth/introspect')
      .type('form')
      .send({ token: old, ...made });
    expect(body).toEqual({ active: false });
  });

  it('has another secret, API token and portal link', async () => {
    const booted = await boot();
    const issue = async () => {
      const credentials = await make(booted, { seed: 5 });
      const token = await tokenOf(booted.understudy.app, credentials);
      const api = agent(booted.understudy.app, '/api/v1', { authorization: `Bearer ${token}` });
      const { body } = await api.post('/tokens').send({ organization_id: ACME, user_id: ADA }).expect(201);
      const link = await api.put(`/organizations/${ACME}/portal_links`).expect(200);
      return { secret: credentials.client_secret, token: body.token, link: link.body.link.location };
    };

    const first = await issue();
    await drop(booted);
    const second = await issue();

    expect(second.secret).not.toBe(first.secret);
    expect(second.token).not.toBe(first.token);
    expect(second.link).not.toBe(first.link);
  });

  it('repeats its ids and answers', async () => {
    const booted = await boot();
    const create = async () => {
      const wanted = { seed: 5, clock: { mode: 'frozen', at: '2030-01-01T00:00:00Z' } };
      const token = await tokenOf(booted.understudy.app, await make(booted, wanted));
      const api = agent(booted.understudy.app, '/api/v1', { authorization: `Bearer ${token}` });
      return (await api.post('/organizations').send({ display_name: 'Bees' }).expect(201)).body as unknown;
    };

    const first = await create();
    await drop(booted);

    expect(await create()).toEqual(first);
  });

  it('is known after a restart, if the old one was kept on the disk', async () => {
    const data = makeFolder();
    const first = await boot({ data });
    const old = await tokenOf(first.understudy.app, await make(first, { seed: 5, persist: true }));
    await drop(first);
    await first.understudy.close();
    const second = await boot({ data });
    await make(second, { seed: 5, persist: true });

    expect(await statusOf(second, old)).toBe(401);
  });
});
