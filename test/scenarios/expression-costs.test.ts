import { describe, expect, it } from 'vitest';
import { boot } from '../support/boot.ts';
import { longestTurn } from '../support/longest-turn.ts';

/** Milliseconds of processor time. Busy machines need more than the aim of 100. */
const MOST = 2000;

const costly = (index: number) => `(?i)x${index}${'[\\p{L}\\p{N}\\p{S}]'.repeat(35)}`;

const rule = (regex: string, index = 0) => ({
  on: 'UserService_ListUsers',
  when: { headers: { [`x-${index}`]: { regex } } },
  fault: { delay: '0ms' },
});

describe('expressions that are costly to compile', () => {
  it.each([
    ['classes of Unicode', '\\pL'.repeat(160)],
    ['ranges that ignore case', `(?i)${'[À-\uffff]'.repeat(20)}`],
    ['ranges that are written with numbers', `(?i)[${'\\x{1}-\\x{ffff}'.repeat(20)}]`],
    ['counts', 'a{1000}'.repeat(140)],
    ['counts after a quoted bracket', `\\Q[\\E${'(?:ab?){500}'.repeat(60)}`],
    ['counts after a dash', `x-(${'(?:ab?){500}'.repeat(60)})`],
  ])('are refused, and the message names the place and the limit: %s', async (_what, regex) => {
    const { control } = await boot();

    const { body } = await control
      .post('/scenarios')
      .send({ name: 'test', rules: [rule(regex)] })
      .expect(400);

    expect(body.message).toContain(
      'rules[0].when.headers.x-0.regex: is too costly to compile: over 50000 steps',
    );
  });

  it.each([
    ['a class of Unicode that ignores case', '(?i)^[\\p{L}\\p{N} ]+$'],
    ['every character', '(?i)^[\\x00-\\x{10ffff}]*$'],
    ['a long list', Array.from({ length: 120 }, (_, i) => `zone${i}`).join('|')],
  ])('are few: %s is accepted', async (_what, regex) => {
    const { control } = await boot();

    await control
      .post('/scenarios')
      .send({ name: 'test', rules: [rule(regex)] })
      .expect(201);
  });
});

describe('many expressions in one call', () => {
  it('are refused with the place and the limit when they cost too much together', async () => {
    const { control } = await boot();
    const headers = Object.fromEntries(
      Array.from({ length: 300 }, (_, i) => [`x-${i}`, { regex: costly(i) }]),
    );
    let refused = { status: 0, body: { message: '' } };

    const turn = await longestTurn(async () => {
      refused = await control.post('/requests/verify').send({ match: { headers } });
    });

    expect(refused.status).toBe(400);
    expect(refused.body.message).toMatch(
      /match\.headers\.x-\d+\.regex: makes the regular expressions of this call too costly to compile: over 500000 steps/,
    );
    expect(turn).toBeLessThan(MOST);
  });

  it('compile in turns with other calls', async () => {
    const { control } = await boot();
    await control.post('/scenarios').send({ name: 'warm', rules: [rule('a')] });
    const rules = Array.from({ length: 600 }, (_, i) => rule(`^(?i)value-${i}-[a-f0-9]{8}$`, i));

    const turn = await longestTurn(() =>
      control.post('/scenarios').send({ name: 'test', rules }).expect(201),
    );

    expect(turn).toBeLessThan(MOST);
  });

  it('cost once for the same text', async () => {
    const { control } = await boot();
    const rules = Array.from({ length: 100 }, (_, i) => rule(costly(0), i));

    await control.post('/scenarios').send({ name: 'test', rules }).expect(201);
  });

  it('share one budget with those of other scenarios of the call', async () => {
    const { control } = await boot();
    const scenarios = [0, 1, 2, 3].map((part) => ({
      name: `part-${part}`,
      rules: Array.from({ length: 4 }, (_, i) => rule(costly(10 * part + i), i)),
    }));

    const { body } = await control.post('/environments').send({ name: 'test', scenarios }).expect(400);

    expect(body.message).toContain('makes the regular expressions of this call too costly to compile');
  });
});

describe('comparing recorded calls with expressions', () => {
  it('is refused when it would take too long, and names the call', async () => {
    const { api, control } = await boot();
    await api.post('/api/v1/organizations').send({ display_name: 'a'.repeat(1000) });

    const { body } = await control
      .post('/requests/verify')
      .send({ match: { body: { display_name: { regex: '^(.?){700}$' } } } })
      .expect(400);

    expect(body.message).toMatch(/^match: the texts of request \S+ are too long for the expressions/);
  });

  it('explains many rules in limited time', async () => {
    const { api, control } = await boot();
    const rules = Array.from({ length: 40 }, (_, i) => ({
      on: 'OrganizationService_CreateOrganization',
      when: { body: { display_name: { regex: `^(.?){700}${i}$` } } },
      reply: { error: 'gone' },
    }));
    await control.post('/scenarios').send({ name: 'test', rules }).expect(201);
    await api.post('/api/v1/organizations').send({ display_name: 'a'.repeat(200) });
    let shown: { reason: string }[] = [];

    const turn = await longestTurn(async () => {
      const { body } = await control.get('/requests?limit=1').expect(200);
      shown = body.requests[0].scenario.considered;
    });

    expect(shown.at(-1)!.reason).toBe('not compared: earlier rules used up the time that a call may take');
    expect(turn).toBeLessThan(MOST);
  });
});
