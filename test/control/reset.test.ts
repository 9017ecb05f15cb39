import { describe, expect, it } from 'vitest';
import { bootOnce, type Booted } from '../support/boot.ts';

const NOW = '2030-01-01T00:00:00Z';
const CLOCK = { mode: 'frozen', at: NOW };
const PARTS = ['state', 'requests', 'mail', 'webhooks', 'scenarios', 'clock'] as const;
type Part = (typeof PARTS)[number];
/** Those that are rows: they go back with the state, too. */
const ROWS: readonly Part[] = ['mail', 'webhooks'];

/** One part alone, and every two together. The other parts follow in a second call. */
const SUBSETS: Part[][] = PARTS.flatMap((part, index) => [
  [part],
  ...PARTS.slice(index + 1).map((other) => [part, other]),
]);

const { fresh } = bootOnce();

/** Each part as the control API shows it; `hash` is over all of them but the journal. */
async function look({ control, own }: Booted) {
  const [clock, requests, state, hash] = await Promise.all(
    ['/clock', '/requests', '/state', '/state/hash'].map(
      async (path) => (await control.get(path).expect(200)).body,
    ),
  );
  const { mails, webhook_endpoints, webhook_deliveries, ...rows } = state;
  return {
    hash: hash.hash as string,
    parts: {
      state: rows,
      mail: mails,
      webhooks: [webhook_endpoints, webhook_deliveries.map(sent)],
      clock: clock.now,
      // The call that lists them reads every file of the library.
      scenarios: JSON.parse(JSON.stringify(own.scenarios.list())),
      requests: requests.requests,
    },
  };
}

/** How far a delivery is depends on the machine. */
const sent = ({ id, event_type }: { id: string; event_type: string }) => [id, event_type];

/** Something happens in every part. */
async function disturb({ api, control }: Booted): Promise<void> {
  await control.post('/webhooks/endpoints').send({ kind: 'inbox' }).expect(201);
  await api.post('/api/v1/organizations').send({ display_name: 'Globex' }).expect(201);
  await control.patch('/state/users/usr_10000000000000101').send({ external_id: 'crm-1' }).expect(200);
  await api.post('/api/v1/passwordless/email/send').send({ email: 'ada@acme.example' }).expect(200);
  await control.post('/clock/advance').send({ by: '1m' }).expect(200);
  await control.post('/scenarios').send({ name: 'rate-limit-once' }).expect(201);
}

describe('Control_Reset', () => {
  it.each(SUBSETS.map((parts) => [parts.join(','), parts] as const))(
    'puts back %s and nothing else; with the other parts too, the hash is as at the start',
    async (only, parts) => {
      const booted = await fresh({ clock: CLOCK });
      const { control } = booted;
      await control.post('/reset').expect(204);
      const start = await look(booted);
      await disturb(booted);
      const disturbed = await look(booted);

      await control.post(`/reset?only=${only}`).expect(204);

      const after = await look(booted);
      for (const part of PARTS) {
        const isBack = parts.includes(part) || (ROWS.includes(part) && parts.includes('state'));
        expect([part, disturbed.parts[part]]).not.toEqual([part, start.parts[part]]);
        expect([part, after.parts[part]]).toEqual([part, (isBack ? start : disturbed).parts[part]]);
      }
      const others = PARTS.filter((part) => !parts.includes(part));
      await control.post(`/reset${others.length > 0 ? `?only=${others.join(',')}` : ''}`).expect(204);
      expect(await look(booted)).toEqual(start);
    },
  );

  it('leaves other environments alone', async () => {
    const red = await fresh({ clock: CLOCK });
    const blue = await fresh({ clock: CLOCK });
    await disturb(blue);
    const before = await look(blue);

    await red.control.post('/reset').expect(204);

    expect(await look(blue)).toEqual(before);
  });

  it('goes back to the scenarios and the clock that the environment was made with', async () => {
    const booted = await fresh({ clock: CLOCK, scenarios: ['invite-expired'] });
    const { control } = booted;
    await control.post('/reset').expect(204); // a token was issued
    const before = await look(booted);
    await control.delete('/scenarios').expect(204);
    await control.put('/clock').send({ mode: 'real' }).expect(200);

    await control.post('/reset').expect(204);

    const { hash, parts } = await look(booted);
    expect(hash).toBe(before.hash);
    expect(parts.clock).toBe('2030-01-01T00:00:00.000Z');
    expect(parts.scenarios).toMatchObject([{ name: 'invite-expired' }]);
  });

  it('names the parts when it is asked for another', async () => {
    const { control } = await fresh();

    const { body } = await control.post('/reset?only=state,clocks').expect(400);

    const [{ field, description }] = body.details[0].validation_error_info.field_violations;
    expect(field).toBe('only');
    expect(description).toContain('such as state,clock: state, requests, mail, webhooks, scenarios, clock');
  });
});
