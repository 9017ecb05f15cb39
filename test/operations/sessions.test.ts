import { describe, expect, it } from 'vitest';
import { boot, type Agent, type Booted } from '../support/boot.ts';
import { later } from '../support/later.ts';
import { failure, invalid, notFound } from '../support/violations.ts';
import { ACME, ADA, DEFAULT_CLIENT, NINA, NORDWIND, RAVI, SESSION_OF_ADA } from '../support/fixture-ids.ts';

const LOGGED_OUT = 'ses_10000000000000402';
const OF_NINA = 'ses_10000000000000403';
const EXPIRED = 'ses_10000000000000404';
const REVOKED = 'ses_10000000000000405';
const NOON = '2030-01-01T12:00:00.000Z';

const PATH = '/api/v1/sessions';
const ofUser = (user: string) => `/api/v1/users/${user}/sessions`;
const refused = (message: string) => failure(9, 'FAILED_PRECONDITION', message);
const stored = async ({ control }: Booted, id: string) =>
  (await control.get(`/state/sessions/${id}`).expect(200)).body;

/** Boots at noon with a session of Ada: idle timeout one hour, absolute timeout four hours. */
async function bootWithSession(ends: object = {}) {
  const booted = await boot({ now: NOON });
  await insert(booted, 1, { user_id: ADA, ...ends });
  return booted;
}

const insert = (booted: Booted, number: number, row: object) =>
  booted.control
    .put(`/state/sessions/ses_2000000000000000${number}`)
    .send({
      authenticated_organizations: [ACME],
      organization_id: ACME,
      created_at: 'now',
      updated_at: 'now',
      last_active_at: 'now',
      idle_expires_at: 'now+1h',
      absolute_expires_at: 'now+4h',
      status: 'active',
      client_ids: [],
      ...row,
    })
    .expect(200);

const idsOf = (body: { sessions: { session_id: string }[] }) => body.sessions.map((each) => each.session_id);

describe('SessionService_GetSession', () => {
  it('returns all attributes of a session', async () => {
    const booted = await boot();
    const row = await stored(booted, SESSION_OF_ADA);

    const answer = await booted.api.get(`${PATH}/${SESSION_OF_ADA}`).expect(200);

    const { id: _, client_ids: __, ...shown } = row;
    expect(answer.body).toEqual({
      ...shown,
      session_id: SESSION_OF_ADA,
      authenticated_clients: [{ client_id: DEFAULT_CLIENT, organization_id: ACME }],
    });
  });

  it('leaves out unset attributes and answers empty strings for missing device attributes', async () => {
    const { api, control } = await bootWithSession({ device: { os: 'iOS', location: { city: 'Oslo' } } });
    const id = 'ses_20000000000000001';
    await control.patch(`/state/sessions/${id}`).send({ organization_id: null }).expect(200);

    const { body } = await api.get(`${PATH}/${id}`).expect(200);

    expect(body).toEqual({
      session_id: id,
      user_id: ADA,
      authenticated_organizations: [ACME],
      organization_id: '',
      created_at: NOON,
      updated_at: NOON,
      last_active_at: NOON,
      idle_expires_at: '2030-01-01T13:00:00.000Z',
      absolute_expires_at: '2030-01-01T16:00:00.000Z',
      status: 'active',
      device: {
        user_agent: '',
        os: 'iOS',
        os_version: '',
        browser: '',
        browser_version: '',
        device_type: '',
        ip: '',
        location: { region: '', region_subdivision: '', city: 'Oslo', latitude: '', longitude: '' },
      },
      authenticated_clients: [],
    });
  });

  it.each([
    ['its idle timeout', {}, '59m', '1m', '2030-01-01T13:00:00.000Z'],
    ['its absolute timeout', { idle_expires_at: 'now+9h' }, '3h', '1h', '2030-01-01T16:00:00.000Z'],
  ])('lasts until %s', async (_, ends, before, rest, end) => {
    const booted = await bootWithSession(ends);
    const path = `${PATH}/ses_20000000000000001`;
    const early = await (await later(booted, before)).get(path).expect(200);

    const late = await (await later(booted, rest)).get(path).expect(200);

    expect(early.body).toMatchObject({ status: 'active' });
    expect(early.body).not.toHaveProperty('expired_at');
    expect(late.body).toMatchObject({ status: 'expired', expired_at: end, updated_at: end });
  });

  it('keeps the status of sessions that ended before', async () => {
    const booted = await boot();

    const api = await later(booted, '60d');

    for (const [id, status] of [
      [LOGGED_OUT, 'logout'],
      [REVOKED, 'revoked'],
    ])
      expect((await api.get(`${PATH}/${id}`).expect(200)).body).toMatchObject({ status });
  });

  it('deletes the session with its user and drops a deleted organization from it', async () => {
    const { api, control } = await boot();
    await control.delete(`/state/organizations/${NORDWIND}`).expect(204);
    const kept = await api.get(`${PATH}/${OF_NINA}`).expect(200);
    await control.delete(`/state/users/${NINA}`).expect(204);

    const missing = await api.get(`${PATH}/${OF_NINA}`).expect(404);

    expect(kept.body).toMatchObject({ authenticated_organizations: [ACME], organization_id: '' });
    expect(missing.body).toEqual(notFound(`session ${OF_NINA} not found`));
  });
});

describe('SessionService_RevokeSession', () => {
  it('revokes an active session immediately', async () => {
    const { api } = await bootWithSession({ device: { os: 'iOS' } });
    const path = `${PATH}/ses_20000000000000001`;

    const answer = await api.post(`${path}/revoke`).expect(200);

    expect(answer.body).toEqual({
      revoked_session: {
        session_id: 'ses_20000000000000001',
        user_id: ADA,
        created_at: NOON,
        updated_at: NOON,
        idle_expires_at: '2030-01-01T13:00:00.000Z',
        absolute_expires_at: '2030-01-01T16:00:00.000Z',
        expired_at: NOON,
        status: 'revoked',
        last_active_at: NOON,
      },
    });
    const read = await api.get(path).expect(200);
    expect(read.body).toMatchObject({ status: 'revoked', expired_at: NOON });
  });

  it.each([
    ['revoked', REVOKED],
    ['expired', EXPIRED],
    ['logout', LOGGED_OUT],
  ])('refuses a session with status %s and leaves it unchanged', async (status, id) => {
    const booted = await boot();
    const before = await stored(booted, id);

    const answer = await booted.api.post(`${PATH}/${id}/revoke`).expect(400);

    const message = `session ${id} is ${status}: only active sessions can be revoked`;
    expect(answer.body).toEqual(refused(message));
    expect(await stored(booted, id)).toEqual(before);
  });

  it('refuses a session that expired by the clock', async () => {
    const booted = await bootWithSession();
    const api = await later(booted, '1h');

    const answer = await api.post(`${PATH}/ses_20000000000000001/revoke`).expect(400);

    expect(answer.body.message).toContain('is expired');
  });

  it('answers 404 for an unknown session', async () => {
    const { api } = await boot();

    const answer = await api.post(`${PATH}/ses_9/revoke`).expect(404);

    expect(answer.body).toEqual(notFound('session ses_9 not found'));
  });
});

describe('SessionService_GetUserSessions', () => {
  /** Five sessions of Nina, created one hour apart from 13:00; those with odd numbers are revoked. */
  async function bootWithSessions() {
    const booted = await boot({ now: NOON });
    await booted.control.delete(`/state/sessions/${LOGGED_OUT}`).expect(204);
    await booted.control.delete(`/state/sessions/${OF_NINA}`).expect(204);
    for (const number of [1, 2, 3, 4, 5]) {
      const status = number % 2 === 0 ? 'active' : 'revoked';
      await insert(booted, number, { user_id: NINA, created_at: `now+${number}h`, status });
    }
    return booted;
  }

  const list = async (api: Agent, query = '') => (await api.get(`${ofUser(NINA)}${query}`).expect(200)).body;
  const numbers = (body: { sessions: { session_id: string }[] }) =>
    idsOf(body).map((id) => Number(id.slice(-1)));

  it('pages through the sessions forwards and backwards, newest first', async () => {
    const { api } = await bootWithSessions();

    const first = await list(api, '?page_size=2');
    const second = await list(api, `?page_size=2&page_token=${first.next_page_token}`);
    const third = await list(api, `?page_size=2&page_token=${second.next_page_token}`);
    const back = await list(api, `?page_size=2&page_token=${second.prev_page_token}`);

    expect([first, second, third, back].map(numbers)).toEqual([[5, 4], [3, 2], [1], [5, 4]]);
    expect([first.prev_page_token, third.next_page_token]).toEqual(['', '']);
    expect([first.total_size, third.total_size]).toEqual([5, 5]);
  });

  it.each([
    ['filter.status=active', [4, 2]],
    ['filter.status=REVOKED', [5, 3, 1]],
    ['filter.status=expired', []],
    ['filter.status=Active&filter.status=revoked', [5, 4, 3, 2, 1]],
    ['filter.start_time=2030-01-01T15:00:00Z', [5, 4, 3]],
    ['filter.end_time=2030-01-01T14:00:00Z', [2, 1]],
    ['filter.start_time=2030-01-01T14:00:00Z&filter.end_time=2030-01-01T16:00:00Z', [4, 3, 2]],
    ['filter.start_time=2030-01-01T16:00:00%2B02:00&filter.status=active', [4, 2]],
  ])('filters by %s and counts only the matches', async (query, expected) => {
    const { api } = await bootWithSessions();

    const body = await list(api, `?${query}`);

    expect(numbers(body)).toEqual(expected);
    expect(body.total_size).toBe(expected.length);
  });

  it('pages through a filtered list', async () => {
    const { api } = await bootWithSessions();
    const first = await list(api, '?page_size=2&filter.status=revoked');

    const rest = await list(api, `?page_size=2&filter.status=revoked&page_token=${first.next_page_token}`);

    expect([first, rest].map(numbers)).toEqual([[5, 3], [1]]);
  });

  it('lists complete sessions of that user only', async () => {
    const { api } = await boot();

    const { sessions } = (await api.get(ofUser(ADA)).expect(200)).body;

    expect(sessions).toEqual([(await api.get(`${PATH}/${SESSION_OF_ADA}`).expect(200)).body]);
  });

  it('answers an empty list for a user who never signed in', async () => {
    const { api } = await boot();

    const answer = await api.get(ofUser('usr_10000000000000105')).expect(200);

    expect(answer.body).toEqual({ sessions: [], next_page_token: '', prev_page_token: '', total_size: 0 });
  });

  it.each([
    [
      'an unknown status',
      'filter.status=active&filter.status=gone',
      'filter.status gone is not one of active, expired, revoked, logout',
    ],
    [
      'an end time before the start time',
      'filter.start_time=2030-01-02T00:00:00Z&filter.end_time=2030-01-01T00:00:00Z',
      'filter.end_time must be after filter.start_time',
    ],
    [
      'equal start and end times',
      'filter.start_time=2030-01-01T00:00:00Z&filter.end_time=2030-01-01T00:00:00Z',
      'filter.end_time must be after filter.start_time',
    ],
    ['an invalid page token', 'page_token=x', 'invalid page_token'],
  ])('refuses %s', async (_, query, message) => {
    const { api } = await boot();

    const answer = await api.get(`${ofUser(NINA)}?${query}`).expect(400);

    expect(answer.body).toEqual(invalid(message));
  });

  it('answers 404 for an unknown user', async () => {
    const { api } = await boot();

    const answer = await api.get(ofUser('usr_9')).expect(404);

    expect(answer.body).toEqual(notFound('user usr_9 not found'));
  });
});

describe('SessionService_RevokeAllUserSessions', () => {
  it('revokes and counts only active sessions', async () => {
    const booted = await bootWithSession();
    await insert(booted, 2, { user_id: ADA });
    await insert(booted, 3, { user_id: ADA, status: 'logout', logout_at: 'now' });
    await insert(booted, 4, { user_id: RAVI });
    const api = await later(booted, '30m');

    const answer = await api.post(`${ofUser(ADA)}/revoke`).expect(200);

    const ended = { status: 'revoked', expired_at: '2030-01-01T12:30:00.000Z' };
    expect(answer.body).toEqual({
      total_revoked: 2,
      revoked_sessions: [
        expect.objectContaining({ session_id: 'ses_20000000000000001', ...ended }),
        expect.objectContaining({ session_id: 'ses_20000000000000002', ...ended }),
      ],
    });
    expect(await stored(booted, 'ses_20000000000000003')).toMatchObject({ status: 'logout' });
    expect(await stored(booted, 'ses_20000000000000004')).toMatchObject({ status: 'active' });
  });

  it('revokes nothing the second time', async () => {
    const { api } = await boot();
    await api.post(`${ofUser(NINA)}/revoke`).expect(200);

    const answer = await api.post(`${ofUser(NINA)}/revoke`).expect(200);

    expect(answer.body).toEqual({ revoked_sessions: [], total_revoked: 0 });
  });

  it('answers 404 for an unknown user', async () => {
    const { api } = await boot();

    const answer = await api.post(`${ofUser('usr_9')}/revoke`).expect(404);

    expect(answer.body).toEqual(notFound('user usr_9 not found'));
  });
});
