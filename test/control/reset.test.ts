import { describe, expect, it } from 'vitest';
import { bootOnce, type Booted } from '../support/boot.ts';

const NOW = '2030-01-01T00:00:00Z';
const CLOCK = { mode: 'frozen', at: NOW };
const PARTS = ['state', 'requests', 'mail', 'webhooks', 'scenarios', 'clock'] as const;
type Part = (typeof PARTS)[number];
/** Parts that are rows: resetting the state resets them too. */
const ROWS: readonly Part[] = ['mail', 'webhooks'];

/** Each part alone and each pair. A second call resets the remaining parts. */
const SUBSETS: Part[][] = PARTS.flatMap((part, index) => [
  [part],
  ...PARTS.slice(index + 1).map((other) => [part, other]),
]);

const { fresh } = bootOnce();

/** Each part as the control API shows it; `hash` covers all parts but the journal. */
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
      // GET /scenarios would read every shipped scenario file.
      scenarios: JSON.parse(JSON.stringify(own.scenarios.list())),
      requests: requests.requests,
    },
  };
}

/** Leaves out the progress of a delivery, which depends on the machine. */
const sent = ({ id, event_type }: { id: string; event_type: string }) => [id, event_type];

/** Changes something in every part. */
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
    'resets only %s; resetting the remaining parts too restores the initial hash',
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

  it('does not change other environments', async () => {
    const red = await fresh({ clock: CLOCK });
    const blue = await fresh({ clock: CLOCK });
    await disturb(blue);
    const before = await look(blue);

    await red.control.post('/reset').expect(204);

    expect(await look(blue)).toEqual(before);
  });

  it('restores the scenarios and the clock that the environment was created with', async () => {
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

  it('lists the parts when an unknown part is given', async () => {
    const { control } = await fresh();

    const { body } = await control.post('/reset?only=state,clocks').expect(400);

    const [{ field, description }] = body.details[0].validation_error_info.field_violations;
    expect(field).toBe('only');
    expect(description).toContain(
      'one or more of state, requests, mail, webhooks, scenarios and clock, with commas between them',
    );
  });
});
