import { describe, expect, it } from 'vitest';
import { boot, type Agent } from '../support/boot.ts';
import { invalid } from '../support/violations.ts';

const NOON = '2030-01-01T12:00:00.000Z';
const A_MINUTE = 60_000;

const set = async (control: Agent, clock: object) =>
  (await control.put('/clock').send(clock).expect(200)).body as {
    mode: string;
    now: string;
    offset_ms: number;
  };

/** Expects a time within a minute, because real time goes on while a test runs. */
const expectNear = (now: string, expected: number) =>
  expect(Math.abs(Date.parse(now) - expected)).toBeLessThan(A_MINUTE);

describe('Control_GetClock', () => {
  it('shows real time at first', async () => {
    const { control } = await boot();

    const { body } = await control.get('/clock').expect(200);

    expect(body).toEqual({ mode: 'real', now: expect.any(String), offset_ms: 0 });
    expectNear(body.now, Date.now());
  });
});

describe('Control_SetClock', () => {
  it('freezes the clock at a time', async () => {
    const { control } = await boot();

    const clock = await set(control, { mode: 'frozen', at: '2030-01-01T13:00:00+01:00' });

    expect(clock).toMatchObject({ mode: 'frozen', now: NOON });
    expect((await control.get('/clock').expect(200)).body.now).toBe(NOON);
  });

  it('freezes the clock at its current time', async () => {
    const { control } = await boot();
    await set(control, { mode: 'offset', offset: '25h' });

    const { mode, now } = await set(control, { mode: 'frozen' });

    expect(mode).toBe('frozen');
    expectNear(now, Date.now() + 25 * 60 * A_MINUTE);
    expect((await control.get('/clock').expect(200)).body.now).toBe(now);
  });

  it.each([
    ['25h', 25 * 60 * A_MINUTE],
    ['-30m', -30 * A_MINUTE],
    ['1.5h', 90 * A_MINUTE],
  ])('shifts the clock by %s', async (offset, offset_ms) => {
    const { control } = await boot();

    const clock = await set(control, { mode: 'offset', offset });

    expect(clock).toMatchObject({ mode: 'offset', offset_ms });
    expectNear(clock.now, Date.now() + offset_ms);
  });

  it('shifts the clock so that it shows the given time now', async () => {
    const { control } = await boot();

    const clock = await set(control, { mode: 'offset', at: NOON });

    expect(clock.mode).toBe('offset');
    expectNear(clock.now, Date.parse(NOON));
  });

  it('sets the clock back to real time', async () => {
    const { control } = await boot({ now: NOON });

    const clock = await set(control, { mode: 'real' });

    expect(clock).toMatchObject({ mode: 'real', offset_ms: 0 });
    expectNear(clock.now, Date.now());
  });

  it.each([
    [
      { mode: 'real', at: NOON },
      'at: the mode real follows the machine and takes no time; use frozen or offset',
    ],
    [{ mode: 'frozen', offset: '5s' }, 'offset: the mode frozen takes no offset; use the mode offset'],
    [{ mode: 'offset' }, 'an offset clock takes either at or offset'],
    [{ mode: 'offset', at: NOON, offset: '5s' }, 'an offset clock takes either at or offset'],
    [
      { mode: 'frozen', at: '9999-01-01T00:00:00Z' },
      'the clock can be set to the years 1970 to 8999, not to 9999-01-01T00:00:00Z',
    ],
  ])('refuses %j and leaves the clock unchanged', async (clock, message) => {
    const { control } = await boot({ now: NOON });

    const { body } = await control.put('/clock').send(clock).expect(400);

    expect(body).toEqual(invalid(message));
    expect((await control.get('/clock').expect(200)).body).toMatchObject({ mode: 'frozen', now: NOON });
  });

  it.each([
    [{ mode: 'frosen' }, 'mode', 'value must be one of real, frozen, offset; did you mean frozen?'],
    [{ mode: { toString: 0 } }, 'mode', 'value must be one of real, frozen, offset'],
    [{ mode: 'frozen', at: 'noon' }, 'at', 'value must be a time, such as 2026-03-01T09:00:00Z'],
    [{ mode: 'offset', offset: '5 hours' }, 'offset', 'value must be a duration, such as 25h or -30m'],
    [{}, 'mode', 'value is required'],
  ])('explains what is wrong with %j', async (clock, field, description) => {
    const { control } = await boot({ now: NOON });

    const { body } = await control.put('/clock').send(clock).expect(400);

    const violations = body.details[0].validation_error_info.field_violations;
    expect(violations).toMatchObject([{ field, description }]);
  });
});

describe('Control_AdvanceClock', () => {
  it('moves a frozen clock, which stays frozen', async () => {
    const { control } = await boot({ now: NOON });

    const { body } = await control.post('/clock/advance').send({ by: '25h' }).expect(200);

    expect(body).toMatchObject({ mode: 'frozen', now: '2030-01-02T13:00:00.000Z' });
  });

  it('turns a real clock into an offset clock, which moves further', async () => {
    const { control } = await boot();

    await control.post('/clock/advance').send({ by: '300ms' }).expect(200);
    const { body } = await control.post('/clock/advance').send({ by: '1d' }).expect(200);

    expect(body).toMatchObject({ mode: 'offset', offset_ms: 86_400_300 });
  });

  it('responds after everything that is due has happened', async () => {
    const { api, control } = await boot({ now: NOON });
    const { body } = await api.get('/api/v1/organizations').expect(200);
    expect(body.organizations.length).toBeGreaterThan(0);

    await control.post('/clock/advance').send({ by: '25h' }).expect(200);

    await api.get('/api/v1/organizations').expect(401);
  });

  it.each(['5', '5 s', '-5s', '1y', ''])('explains what a duration is for %j', async (by) => {
    const { control } = await boot({ now: NOON });

    const { body } = await control.post('/clock/advance').send({ by }).expect(400);

    const [{ field, description }] = body.details[0].validation_error_info.field_violations;
    expect(field).toBe('by');
    if (by !== '')
      expect(description).toBe(
        'value must be a duration, such as 300ms, 5s, 15m, 25h or 14d; to go back in time, set the clock instead',
      );
  });

  it('refuses to go beyond the last year, and the clock does not move', async () => {
    const { control } = await boot({ now: NOON });

    await control.post('/clock/advance').send({ by: '9999999d' }).expect(400);

    expect((await control.get('/clock').expect(200)).body.now).toBe(NOON);
  });
});
