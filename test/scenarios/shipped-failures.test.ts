import { describe, expect, it } from 'vitest';
import { boot, tokenOf } from '../support/boot.ts';
import { ask, refresh, tokensOf } from '../operations/oauth-support.ts';
import { KNOWN_CREDENTIALS } from '../../src/start/config.ts';

const LIST = '/api/v1/organizations';
const USERS = '/api/v1/users';

async function loaded(name: string, params?: object) {
  const booted = await boot({ fixture: 'small' });
  await booted.control
    .post('/scenarios')
    .send(params ? { name, params } : { name })
    .expect(201);
  return booted;
}

describe('rate-limit-once', () => {
  it('throttles only the next API call and sends Retry-After', async () => {
    const { api, understudy } = await loaded('rate-limit-once');

    await tokenOf(understudy.app, KNOWN_CREDENTIALS);
    const { headers, body } = await api.get(USERS).expect(429);
    await api.get(LIST).expect(200);

    expect(headers['retry-after']).toBe('2');
    expect(body).toMatchObject({ code: 8, details: [{ error_code: 'RATE_LIMITED' }] });
  });

  it('throttles one operation, as often and with the delay of its parameters', async () => {
    const operation = 'UserService_ListUsers';
    const { api } = await loaded('rate-limit-once', { operation, times: 3, retry_after: 7 });

    await api.get(LIST).expect(200);
    for (const _ of [1, 2, 3]) expect((await api.get(USERS).expect(429)).headers['retry-after']).toBe('7');
    await api.get(USERS).expect(200);
  });

  it('sends no Retry-After when the parameter is null', async () => {
    const { api } = await loaded('rate-limit-once', { retry_after: null });

    const { headers } = await api.get(LIST).expect(429);

    expect(headers).not.toHaveProperty('retry-after');
  });
});

describe('rate-limit-always', () => {
  it('throttles every call without Retry-After, until it is unloaded', async () => {
    const { api, anonymous, control } = await loaded('rate-limit-always');

    for (const path of [LIST, USERS, LIST])
      expect((await api.get(path).expect(429)).headers).not.toHaveProperty('retry-after');
    await anonymous.get('/keys').expect(429);
    await control.delete('/scenarios/rate-limit-always').expect(204);
    await api.get(LIST).expect(200);
  });

  it('throttles the operations of its parameter, with Retry-After', async () => {
    const { api } = await loaded('rate-limit-always', { operation: 'UserService_*', retry_after: 60 });

    await api.get(LIST).expect(200);
    for (const _ of [1, 2]) expect((await api.get(USERS).expect(429)).headers['retry-after']).toBe('60');
  });
});

describe.each([
  ['internal-error', 500, 'INTERNAL'],
  ['unimplemented', 501, 'UNIMPLEMENTED'],
  ['unavailable', 503, 'UNAVAILABLE'],
  ['deadline-exceeded', 504, 'DEADLINE_EXCEEDED'],
])('%s', (name, status, error_code) => {
  it(`responds to every call with ${status}`, async () => {
    const { api, anonymous } = await loaded(name);

    const { body } = await api.get(LIST).expect(status);
    await api.post(LIST).send({ display_name: 'Globex' }).expect(status);
    await anonymous.get('/.well-known/openid-configuration').expect(status);

    expect(body).toMatchObject({ details: [{ error_code }] });
  });

  it('applies to one operation, as often as its parameters say', async () => {
    const { api } = await loaded(name, { operation: 'UserService_ListUsers', times: 2 });

    await api.get(LIST).expect(200);
    for (const expected of [status, status, 200]) await api.get(USERS).expect(expected);
  });
});

describe('token-expired', () => {
  it('rejects the token once', async () => {
    const { api } = await loaded('token-expired');

    const { body } = await api.get(LIST).expect(401);
    await api.get(LIST).expect(200);

    expect(body).toMatchObject({ code: 16, message: 'token is expired' });
  });
});

describe('refresh-failure', () => {
  const refresh = { grant_type: 'refresh_token', refresh_token: 'rt_1', ...KNOWN_CREDENTIALS };

  it('rejects refresh tokens and serves other grants', async () => {
    const { anonymous, understudy } = await loaded('refresh-failure');

    const { body } = await anonymous.post('/oauth/token').type('form').send(refresh).expect(400);

    expect(body.error).toBe('invalid_grant');
    expect(await tokenOf(understudy.app, KNOWN_CREDENTIALS)).toBeTruthy();
  });

  it('can end after some refreshes', async () => {
    const { anonymous, control } = await loaded('refresh-failure', { times: 1 });

    await anonymous.post('/oauth/token').type('form').send(refresh).expect(400);

    const { body } = await control.get('/scenarios/refresh-failure').expect(200);
    expect(body.rules).toMatchObject([{ hits: 1, remaining: 0 }]);
  });
});

describe('refresh-token-grace', () => {
  it('lets a refresh token work again for some seconds, and no longer than it is loaded', async () => {
    const booted = await loaded('refresh-token-grace', { seconds: 50 });
    const use = (token: string) => ask(booted.anonymous, refresh(token));
    const advance = (by: string) => booted.control.post('/clock/advance').send({ by }).expect(200);
    const { refresh_token } = await tokensOf(booted);

    await use(refresh_token).expect(200);
    await advance('45s');
    const { body } = await use(refresh_token).expect(200);
    await booted.control.delete('/scenarios/refresh-token-grace').expect(204);

    await use(body.refresh_token).expect(200);
    await advance('45s');
    await use(body.refresh_token).expect(400);
  });
});

describe('refresh-token-once', () => {
  it('ends every token of the sign-in at the second of two refreshes at once', async () => {
    const booted = await loaded('refresh-token-once');
    const { refresh_token } = await tokensOf(booted);
    const use = (token: string) => ask(booted.anonymous, refresh(token));

    const answers = await Promise.all([use(refresh_token), use(refresh_token)]);

    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 400]);
    const { body } = answers.find(({ status }) => status === 200)!;
    await use(body.refresh_token).expect(400);
  });

  it('lets tokens work again in the usual grace period once it is removed', async () => {
    const booted = await loaded('refresh-token-once');
    const { refresh_token } = await tokensOf(booted);
    await booted.control.delete('/scenarios/refresh-token-once').expect(204);

    for (let use = 0; use < 2; use++) await ask(booted.anonymous, refresh(refresh_token)).expect(200);
  });
});

describe('refresh-token-reused', () => {
  it('ends every token of the sign-in at the next refresh, even in a grace period', async () => {
    const booted = await loaded('refresh-token-reused');
    const settings = { refresh_token_grace_period: 3600 };
    await booted.control.patch('/state/settings/settings').send(settings).expect(200);
    const { refresh_token, access_token } = await tokensOf(booted);
    const other = await tokensOf(booted);

    const { body } = await ask(booted.anonymous, refresh(refresh_token)).expect(400);

    expect(body).toEqual({ error: 'invalid_grant', error_description: 'invalid refresh token' });
    const authorization = `Bearer ${access_token}`;
    await booted.anonymous.get('/userinfo').set({ authorization }).expect(401);
    await ask(booted.anonymous, refresh(other.refresh_token)).expect(200);
  });

  it('changes nothing for a token that nobody issued', async () => {
    const booted = await loaded('refresh-token-reused');

    const { body } = await ask(booted.anonymous, refresh('rt_1')).expect(400);

    expect(body.error).toBe('invalid_grant');
  });
});

describe('slow-answers', () => {
  it('delays the response and does not change it', async () => {
    const { api, control } = await loaded('slow-answers', { delay: '2ms' });

    const { body } = await api.get(LIST).expect(200);

    expect(body.organizations).toHaveLength(3);
    const journal = await control.get('/requests?operation=OrganizationService_ListOrganization').expect(200);
    expect(journal.body.requests).toMatchObject([{ fault: { delay_ms: 2 } }]);
  });

  it('delays by 300 milliseconds by default', async () => {
    const { control } = await loaded('slow-answers');

    const { body } = await control.get('/scenarios/slow-answers').expect(200);

    expect(body.params).toEqual({ operation: '*', delay: '300ms' });
  });
});

describe('dropped-connections', () => {
  it('closes the connection without a response, and nothing happens', async () => {
    const { api, control } = await loaded('dropped-connections', { times: 1 });

    await expect(api.post(LIST).send({ display_name: 'Globex' })).rejects.toThrow(
      /socket hang up|ECONNRESET/,
    );

    const { body } = await control.get('/state/organizations').expect(200);
    expect(body.rows).toHaveLength(3);
    await api.get(LIST).expect(200);
  });

  it('can close it in the middle of the response, after the operation ran', async () => {
    const params = { operation: 'OrganizationService_CreateOrganization', disconnect: 'middle' };
    const { api, control } = await loaded('dropped-connections', params);

    await expect(api.post(LIST).send({ display_name: 'Globex' })).rejects.toThrow(/aborted|ECONNRESET/);

    const { body } = await control.get('/state/organizations').expect(200);
    expect(body.rows).toHaveLength(4);
  });
});
