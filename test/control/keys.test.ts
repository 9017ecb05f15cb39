import { createLocalJWKSet, decodeProtectedHeader, jwtVerify, type JSONWebKeySet } from 'jose';
import { describe, expect, it } from 'vitest';
import { agentWith, boot, tokenOf, type Agent, type Booted } from '../support/boot.ts';
import { makeFolder } from '../store/support.ts';
import { KNOWN_CREDENTIALS } from '../../src/start/config.ts';

const NOW = '2030-01-01T00:00:00.000Z';
const FIRST = 'snk_10000000000000001';
const LIST = '/api/v1/organizations';

const keySet = async (agent: Agent): Promise<JSONWebKeySet> => (await agent.get('/keys').expect(200)).body;
const kidsIn = async (agent: Agent) => (await keySet(agent)).keys.map(({ kid }) => kid);
const kidOf = (token: string) => decodeProtectedHeader(token).kid;
const rotate = async (control: Agent, body?: object) =>
  (await control.post('/keys/rotate').send(body).expect(200)).body;
const newToken = ({ understudy }: Booted) => tokenOf(understudy.app, KNOWN_CREDENTIALS);
const statusOf = async ({ anonymous }: Booted, token: string) =>
  (await agentWith(anonymous, token).get(LIST)).status;

describe('Control_RotateKeys', () => {
  it('signs new tokens with a new key, and lists the former one until the overlap is over', async () => {
    const booted = await boot({ now: NOW });
    const { anonymous, control, token: old } = booted;

    const body = await rotate(control, { overlap: '1h' });
    const fresh = await newToken(booted);

    expect(kidOf(old)).toBe(FIRST);
    expect(body).toEqual({
      kid: kidOf(fresh),
      keys: [{ kid: kidOf(fresh) }, { kid: FIRST, retires_at: '2030-01-01T01:00:00.000Z' }],
    });
    expect(await kidsIn(anonymous)).toEqual([kidOf(fresh), FIRST]);
    const keys = createLocalJWKSet(await keySet(anonymous));
    for (const token of [old, fresh]) await jwtVerify(token, keys, { currentDate: new Date(NOW) });
    expect([await statusOf(booted, old), await statusOf(booted, fresh)]).toEqual([200, 200]);

    await control.post('/clock/advance').send({ by: '1h' }).expect(200);

    expect(await kidsIn(anonymous)).toEqual([kidOf(fresh)]);
    const refused = await agentWith(anonymous, old).get(LIST).expect(401);
    expect(refused.body.message).toBe(
      `token is signed with the key ${FIRST}, which is not in /keys; get a new one`,
    );
    expect(await statusOf(booted, fresh)).toBe(200);
  });

  it('lists the former key for a day unless the call says otherwise', async () => {
    const { control } = await boot({ now: NOW });

    const { keys } = await rotate(control);

    expect(keys[1]).toEqual({ kid: FIRST, retires_at: '2030-01-02T00:00:00.000Z' });
    const { body: timeline } = await control.get('/clock/timeline').expect(200);
    expect(timeline.due).toContainEqual(expect.objectContaining({ id: FIRST, at: keys[1].retires_at }));
  });

  it('removes every former key at once with overlap 0s', async () => {
    const booted = await boot({ now: NOW });
    await rotate(booted.control);
    const second = await newToken(booted);

    const { kid, keys } = await rotate(booted.control, { overlap: '0s' });

    expect(keys).toEqual([{ kid }]);
    expect(await kidsIn(booted.anonymous)).toEqual([kid]);
    for (const token of [booted.token, second]) expect(await statusOf(booted, token)).toBe(401);
  });

  it('does not prolong the overlap of an earlier rotation', async () => {
    const { control } = await boot({ now: NOW });
    await rotate(control, { overlap: '1h' });

    const { keys } = await rotate(control, { overlap: '2h' });

    expect(keys.map(({ retires_at }: { retires_at?: string }) => retires_at)).toEqual([
      undefined,
      '2030-01-01T02:00:00.000Z',
      '2030-01-01T01:00:00.000Z',
    ]);
  });

  it('makes tokens of a key that is gone inactive', async () => {
    const booted = await boot({ now: NOW });
    const { client_id, client_secret } = KNOWN_CREDENTIALS;
    const form = { token: booted.token, client_id, client_secret };
    const introspect = async () =>
      (await booted.anonymous.post('/oauth/introspect').type('form').send(form).expect(200)).body.active;

    const before = await introspect();
    await rotate(booted.control, { overlap: '0s' });

    expect([before, await introspect()]).toEqual([true, false]);
  });

  it('makes the same keys from the same seed, also at once', async () => {
    const { environment } = await boot();
    const sequences = [];
    for (const [name, seed] of [
      ['one', 1],
      ['twin', 1],
      ['other', 2],
    ] as const) {
      const { control } = await environment(name, { seed });
      const rotations = await Promise.all([rotate(control), rotate(control)]);
      sequences.push(rotations.map(({ kid }) => kid as string).toSorted((a, b) => a.localeCompare(b)));
    }

    expect(sequences[1]).toEqual(sequences[0]);
    expect(new Set(sequences.flat()).size).toBe(4);
  });

  it('belongs to its environment', async () => {
    const booted = await boot();
    const { control, token } = await booted.environment('other');
    await rotate(control);

    expect(await kidsIn(booted.anonymous)).toEqual([FIRST]);
    const { body } = await booted.anonymous.get('/keys').set('understudy-environment', 'other').expect(200);
    expect(body.keys).toHaveLength(2);
    const moved = await agentWith(booted.anonymous, token).get(LIST).set('understudy-environment', 'default');
    expect(moved.body.message).toMatch(/^token was issued in environment other,/);
  });

  it('comes with a fork, and goes with a snapshot that is restored or with a reset', async () => {
    const { control, understudy } = await boot();
    const copy = agentOf(control, 'copy');
    await rotate(control);
    await control.post('/snapshots').send({ name: 'second' }).expect(201);
    await control.post('/environments/default/fork').send({ name: 'copy' }).expect(201);
    const kid = async (from: Agent) => (await rotate(from)).kid;

    const third = await kid(control);
    const ofCopy = await kid(copy);
    await control.post('/snapshots/second/restore').expect(204);
    const again = await kid(control);
    await control.post('/reset').expect(204);

    expect([ofCopy, again]).toEqual([third, third]);
    expect(kidOf(await tokenOf(understudy.app, KNOWN_CREDENTIALS))).toBe(FIRST);
  });

  it('lasts over a restart with the same data', async () => {
    const data = makeFolder();
    const before = await boot({ data, now: NOW });
    const { keys } = await rotate(before.control, { overlap: '1h' });
    const fresh = await newToken(before);
    await before.understudy.close();

    const after = await boot({ data, now: NOW });

    expect(await kidsIn(after.anonymous)).toEqual(keys.map(({ kid }: { kid: string }) => kid));
    for (const token of [before.token, fresh]) expect(await statusOf(after, token)).toBe(200);
    expect(kidOf(await newToken(after))).toBe(kidOf(fresh));
  });

  it('makes each key once, however many rotations come at the same time', async () => {
    const { anonymous, control } = await boot({ now: NOW, seed: 4711 });
    const before = process.cpuUsage();

    const rotations = await Promise.all(Array.from({ length: 30 }, () => rotate(control)));

    const { user } = process.cpuUsage(before);
    expect(new Set(rotations.map(({ kid }) => kid)).size).toBe(30);
    expect(await kidsIn(anonymous)).toHaveLength(31);
    // Each key takes a tenth of a second. 30 rotations that each begin again after another one would make 465.
    expect(user / 1e6).toBeLessThan(15);
  });

  it('refuses an overlap of thousands of years', async () => {
    const { anonymous, control } = await boot();

    const { body } = await control.post('/keys/rotate').send({ overlap: '99999999d' }).expect(400);

    expect(body.message).toBe('overlap: 99999999d is too long: at most 36500d');
    expect(await kidsIn(anonymous)).toEqual([FIRST]);
  });
});

it('signing-key-unknown lists a key that signs nothing, as often as wanted', async () => {
  const booted = await boot();
  const { anonymous, control, token } = booted;
  await control
    .post('/scenarios')
    .send({ name: 'signing-key-unknown', params: { times: 1 } })
    .expect(201);

  const keys = createLocalJWKSet(await keySet(anonymous));

  await expect(jwtVerify(token, keys)).rejects.toThrow('no applicable key');
  expect(await statusOf(booted, token)).toBe(200);
  expect(await kidsIn(anonymous)).toEqual([FIRST]);
});

describe('a signing key that a tester wrote', () => {
  it('is refused at its use if it is none', async () => {
    const { anonymous, control } = await boot();
    await control.put('/state/signing_keys/snk_7').send({ number: 7, private_key: 'AAAA' }).expect(200);

    const { body } = await anonymous.get('/keys').expect(400);

    expect(body.message).toBe(
      'signing_keys/snk_7: private_key is no RSA key of at least 2048 bits in PKCS#8; change or delete the row',
    );
  });
});

const agentOf = (control: Agent, name: string): Agent => ({
  ...control,
  post: (path) => control.post(path).set('understudy-environment', name),
});
