import { describe, expect, it } from 'vitest';
import { boot, type Booted } from '../../../../test/support/boot.ts';
import { answersOfLists, comparable } from '../../../../test/support/lists.ts';
import { pullFrom } from '../support/pull.ts';

const getFrom =
  ({ api }: Booted) =>
  async (call: string) => {
    const { status, body } = await api.get(call);
    return { status, body: body as unknown };
  };

describe('a fixture that was pulled', () => {
  it('makes Understudy answer the same lists', async () => {
    const now = '2026-12-01T09:00:00Z';
    const source = await boot({ fixture: 'small', now });

    const { out } = await pullFrom(source, { keep: ['*'] });

    const copy = await boot({ fixture: out, now });
    const expected = await answersOfLists(getFrom(source));
    expect(Object.keys(expected).length).toBeGreaterThan(60);
    expect(comparable(await answersOfLists(getFrom(copy)))).toEqual(comparable(expected));
  });

  it('starts Understudy without anything kept', async () => {
    const { out, rows } = await pullFrom(await boot({ fixture: 'small' }));

    const copy = await boot({ fixture: out });

    const { body } = await copy.api.get('/api/v1/users').expect(200);
    expect(body.total_size).toBe(rows['users']!.length);
  });

  it('was read with GET calls and one token', async () => {
    const source = await boot({ fixture: 'small' });
    const before = source.own.journal.list().length;

    await pullFrom(source);

    const calls = source.own.journal.list().slice(before);
    const writes = calls
      .filter(({ method }) => method !== 'GET')
      .map(({ method, path }) => `${method} ${path}`);
    expect(calls.length).toBeGreaterThan(50);
    expect(writes).toEqual(['POST /oauth/token']);
  });
});
