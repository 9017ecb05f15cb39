import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { boot, type Agent } from '../support/boot.ts';
import { serve } from '../support/process.ts';
import { commands, play } from './commands.ts';

const CLOCK = { mode: 'frozen', at: '2030-01-01T00:00:00Z' };
const ADDRESS = 'http://understudy.test';

const hashOf = async (control: Agent) => (await control.get('/state/hash').expect(200)).body.hash as string;

describe('a reset', () => {
  it('restores the initial state after any sequence of calls', async () => {
    const { environment } = await boot();
    const { api, control } = await environment('worker-1', { clock: CLOCK, seed: 7 });
    await control.post('/reset').expect(204);
    const start = await hashOf(control);
    const state = (await control.get('/state').expect(200)).text;

    await fc.assert(
      fc.asyncProperty(commands, async (sequence) => {
        for (const each of sequence) await play(each, { api, control });

        await control.post('/reset').expect(204);

        expect(await hashOf(control)).toBe(start);
        expect((await control.get('/state').expect(200)).text).toBe(state);
        expect((await control.get('/requests').expect(200)).body).toEqual({
          requests: [],
          total: 0,
          kept: 0,
        });
        expect((await control.get('/scenarios').expect(200)).body.loaded).toEqual([]);
      }),
      { numRuns: 25 },
    );
  });
});

describe('an environment', () => {
  it('with the same name, seed and clock responds to the same calls byte for byte alike in another simulator', async () => {
    const [one, other] = [await boot({ baseUrl: ADDRESS }), await boot({ baseUrl: ADDRESS })];
    let made = 0;

    await fc.assert(
      fc.asyncProperty(commands, async (sequence) => {
        const name = `worker-${(made += 1)}`;
        const here = await one.environment(name, { clock: CLOCK, seed: 7 });
        const there = await other.environment(name, { clock: CLOCK, seed: 7 });

        for (const each of sequence) {
          const [answer, twin] = [await play(each, here), await play(each, there)];
          expect(seen(twin)).toEqual(seen(answer));
        }
        expect(there.token).toBe(here.token);
        expect(await hashOf(there.control)).toBe(await hashOf(here.control));
      }),
      { numRuns: 25 },
    );
  });

  it('creates the same rows in two processes from the same calls, and others with another seed', async () => {
    const made: string[] = [];
    for (const seed of ['7', '7', '8']) {
      const service = await serve(['--seed', seed]);
      await service.control.put('/clock').send(CLOCK).expect(200);
      const api = await service.login();
      await api.post('/api/v1/organizations').send({ display_name: 'Globex' }).expect(201);
      await api.post('/api/v1/passwordless/email/send').send({ email: 'ada@acme.example' }).expect(200);
      // The fixture's times depend on when the process started, so only rows from the calls are compared.
      const { body } = await service.control.get('/state').expect(200);
      made.push(JSON.stringify([body.organizations.at(-1), body.mails]).replaceAll(service.url, ADDRESS));
      await service.stop();
    }

    expect(made[1]).toBe(made[0]);
    expect(made[2]).not.toBe(made[0]);
  });
});

/**
 * Without what depends on this machine's time, which `/state/hash` leaves out too: a frozen clock's distance
 * from real time, and the outcome of a delivery.
 */
function seen({ status, text, headers }: { status: number; text: string; headers: Record<string, string> }) {
  const stable = text.startsWith('{') ? JSON.stringify(JSON.parse(text, withoutMachineTime)) : text;
  return { status, text: stable, id: headers['understudy-request-id'], retry: headers['retry-after'] };
}

const OUTCOME = ['status', 'attempts', 'next_attempt_at'];

function withoutMachineTime(member: string, value: unknown): unknown {
  if (member === 'offset_ms') return 0;
  if (member !== 'webhook_deliveries') return value;
  return (value as Record<string, unknown>[]).map((delivery) =>
    Object.fromEntries(Object.entries(delivery).filter(([name]) => !OUTCOME.includes(name))),
  );
}
