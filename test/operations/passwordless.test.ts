import { describe, expect, it } from 'vitest';
import { boot, type Agent, type Booted } from '../support/boot.ts';
import { later } from '../support/later.ts';
import { failure, invalid, notFound, refusal, required, tooManyPairs, pairs } from '../support/violations.ts';

const PATH = '/api/v1/passwordless/email';
const NOON = '2030-01-01T12:00:00.000Z';
const PAGE = 'https://app.example.com/enter';
const ADA = 'ada@acme.example';
const SECONDS = Date.parse(NOON) / 1000;
const ID = expect.stringMatching(/^[A-Za-z0-9_-]{50}$/);

const limited = (message: string) => failure(8, 'RATE_LIMITED', message);
const TOO_MANY = limited(`${ADA} gets no more than 2 mails a minute`);
const BLOCKED = limited('too many wrong codes: begin again with a new request');

/** The clock stands at noon; what is sent has codes, links or both. */
async function bootWith(passwordless_type: 'OTP' | 'LINK' | 'LINK_OTP', settings: object = {}) {
  const booted = await boot({ now: NOON });
  await set(booted, { passwordless_type, ...settings });
  return booted;
}

const set = ({ control }: Booted, settings: object) =>
  control.patch('/state/settings/settings').send(settings).expect(200);

const send = (api: Agent, body: object = {}) =>
  api.post(`${PATH}/send`).send({ email: ADA, magiclink_auth_uri: PAGE, ...body });
const resend = (api: Agent, auth_request_id: string) => api.post(`${PATH}/resend`).send({ auth_request_id });
const verify = (api: Agent, body: object) => api.post(`${PATH}/verify`).send(body);

/** Sends a mail, and reads it. */
async function sent(booted: Booted, body: object = {}) {
  const answer = await send(booted.api, body).expect(200);
  return { auth_request_id: answer.body.auth_request_id as string, ...(await lastMail(booted)) };
}

async function lastMail({ control }: Booted) {
  const { rows } = (await control.get('/state/mails').expect(200)).body;
  const { code, link } = rows.at(-1) as { code: string; link?: string };
  const link_token = link && new URL(link).searchParams.get('link_token');
  return { code, link_token };
}

const wrongOf = (code: string) => (code === '000000' ? '000001' : '000000');

async function failTimes(api: Agent, request: { auth_request_id: string; code: string }, times: number) {
  const { auth_request_id, code } = request;
  const statuses = [];
  for (let time = 0; time < times; time += 1)
    statuses.push((await verify(api, { auth_request_id, code: wrongOf(code) })).status);
  return statuses;
}

describe('PasswordlessService_SendPasswordlessEmail', () => {
  it('mails a code of six digits', async () => {
    const { api, control } = await bootWith('OTP');

    const answer = await send(api, { template: 'SIGNUP', magiclink_auth_uri: null }).expect(200);

    expect(answer.body).toEqual({
      auth_request_id: ID,
      expires_at: String(SECONDS + 300),
      expires_in: 300,
      passwordless_type: 'OTP',
    });
    const { rows } = (await control.get('/state/mails').expect(200)).body;
    const { code } = rows[0];
    expect(rows).toEqual([
      {
        id: expect.stringMatching(/^mail_/),
        kind: 'passwordless',
        to: ADA,
        subject: `${code} is your code to sign up`,
        text: `To sign up, enter the code ${code}. This is good until 2030-01-01T12:05:00.000Z.`,
        code: expect.stringMatching(/^\d{6}$/),
        time: NOON,
      },
    ]);
  });

  it.each([
    ['LINK', PAGE, `${PAGE}?link_token=`],
    ['LINK_OTP', `${PAGE}?from=mail#top`, `${PAGE}?from=mail&link_token=`],
  ] as const)('mails a link to the application’s own page: %s', async (type, page, begins) => {
    const { api, control } = await bootWith(type);

    const variables = { team_name: 'Finance' };
    const mailed = { magiclink_auth_uri: page, template_variables: variables };
    const answer = await send(api, mailed).expect(200);

    expect(answer.body.passwordless_type).toBe(type);
    const [mail] = (await control.get('/state/mails').expect(200)).body.rows;
    expect(mail.link.startsWith(begins)).toBe(true);
    expect(mail.link.endsWith('#top')).toBe(page.endsWith('#top'));
    expect('code' in mail).toBe(type === 'LINK_OTP');
    expect(mail.template_variables).toEqual(variables);
  });

  it('is good as long as the caller says, else as the settings say', async () => {
    const { api } = await bootWith('OTP', { passwordless_validity: 600 });

    const answers = [await send(api, { expires_in: 3600 }), await send(api, { expires_in: 0 })];

    expect(answers.map(({ body }) => [body.expires_in, body.expires_at])).toEqual([
      [3600, String(SECONDS + 3600)],
      [600, String(SECONDS + 600)],
    ]);
  });

  it('never answers with a code or a link', async () => {
    const booted = await bootWith('LINK_OTP');

    const answer = await send(booted.api).expect(200);

    const { code, link_token } = await lastMail(booted);
    expect(JSON.stringify(answer.body)).not.toContain(code);
    expect(JSON.stringify(answer.body)).not.toContain(link_token);
  });

  it('sends an address two mails a minute, however it is spelled', async () => {
    const booted = await bootWith('OTP');
    await send(booted.api).expect(200);
    await (await later(booted, '30s')).post(`${PATH}/send`).send({ email: 'ADA@acme.example' }).expect(200);

    const early = await send(await later(booted, '29s')).expect(429);
    await send(await later(booted, '1s')).expect(200);
    const again = await send(booted.api).expect(429);

    expect([early.body, again.body]).toEqual([TOO_MANY, TOO_MANY]);
    await send(booted.api, { email: 'ravi@acme.example' }).expect(200);
  });

  it('sends without a limit when the settings have none', async () => {
    const booted = await bootWith('OTP', { passwordless_mails_per_minute: 0 });

    for (let mail = 0; mail < 5; mail += 1) await send(booted.api).expect(200);
  });

  it.each(['LINK', 'LINK_OTP'] as const)('wants the page of a link: %s', async (type) => {
    const { api, control } = await bootWith(type);

    const answer = await api.post(`${PATH}/send`).send({ email: ADA }).expect(400);

    expect(answer.body).toEqual(refusal(required('magiclink_auth_uri')));
    expect((await control.get('/state/mails').expect(200)).body.rows).toEqual([]);
  });

  it('refuses names of variables that it fills in itself, naming each', async () => {
    const { api } = await boot();

    const answer = await send(api, { template_variables: { otp: '1', name: 'Ada', link: 'x' } }).expect(400);

    const violations = answer.body.details[0].validation_error_info.field_violations;
    expect(violations.map(({ field }: { field: string }) => field)).toEqual([
      'template_variables["otp"]',
      'template_variables["link"]',
    ]);
  });

  it('takes thirty variables and no more', async () => {
    const { api } = await boot();
    await send(api, { template_variables: pairs(30) }).expect(200);

    const answer = await send(api, { template_variables: pairs(31) }).expect(400);

    expect(answer.body).toEqual(refusal(tooManyPairs(30)('template_variables')));
  });

  it('carries the name of its environment in ids and links', async () => {
    const booted = await boot();
    const { api, control } = await booted.environment('suite-1');
    await control.patch('/state/settings/settings').send({ passwordless_type: 'LINK' }).expect(200);

    const answer = await send(api).expect(200);

    const [mail] = (await control.get('/state/mails').expect(200)).body.rows;
    expect(answer.body.auth_request_id).toMatch(/^suite-1\./);
    expect(mail.link).toContain('?link_token=suite-1.');
  });
});

describe('PasswordlessService_VerifyPasswordlessEmail', () => {
  it('takes a code with its request, and gives back what was sent along', async () => {
    const booted = await bootWith('OTP');
    const { auth_request_id, code } = await sent(booted, { state: 'here', template: 'SIGNIN' });

    const answer = await verify(booted.api, { auth_request_id, code }).expect(200);

    expect(answer.body).toEqual({ email: ADA, state: 'here', template: 'SIGNIN', passwordless_type: 'OTP' });
  });

  it.each([
    ['alone', false],
    ['with its request', true],
  ])('takes a link %s', async (_, withRequest) => {
    const booted = await bootWith('LINK');
    const { auth_request_id, link_token } = await sent(booted);

    const answer = await verify(booted.api, { link_token, ...(withRequest && { auth_request_id }) });

    expect([answer.status, answer.body]).toEqual([200, { email: ADA, passwordless_type: 'LINK' }]);
  });

  it('takes either of both, and only once', async () => {
    const booted = await bootWith('LINK_OTP');
    const { auth_request_id, code, link_token } = await sent(booted);
    await verify(booted.api, { link_token }).expect(200);

    const again = [
      await verify(booted.api, { link_token }),
      await verify(booted.api, { auth_request_id, code }),
    ];

    const used = failure(9, 'FAILED_PRECONDITION', 'code or link was used already');
    expect(again.map(({ status, body }) => [status, body])).toEqual([
      [400, used],
      [400, used],
    ]);
  });

  it('is good to its last moment', async () => {
    const booted = await bootWith('OTP');
    const { auth_request_id, code } = await sent(booted);

    const api = await later(booted, '299s');

    await verify(api, { auth_request_id, code }).expect(200);
  });

  it('is not good beyond, neither as code nor as link', async () => {
    const booted = await bootWith('LINK_OTP');
    const { auth_request_id, code, link_token } = await sent(booted);
    const api = await later(booted, '300s');

    const answers = [await verify(api, { auth_request_id, code }), await verify(api, { link_token })];

    const expired = invalid('code or link has expired');
    expect(answers.map(({ status, body }) => [status, body])).toEqual([
      [400, expired],
      [400, expired],
    ]);
  });

  it('counts wrong codes though each call fails: after five even the right one is refused', async () => {
    const booted = await bootWith('OTP', { passwordless_validity: 3600 });
    const request = await sent(booted);
    const { auth_request_id, code } = request;

    expect(await failTimes(booted.api, request, 5)).toEqual([400, 400, 400, 400, 400]);

    const refused = await verify(booted.api, { auth_request_id, code }).expect(429);
    expect(refused.body).toEqual(BLOCKED);
    const later10 = await verify(await later(booted, '11m'), { auth_request_id, code }).expect(429);
    expect(later10.body).toEqual(BLOCKED);
    const fresh = await sent(booted);
    await verify(booted.api, fresh).expect(200);
  });

  it('forgets wrong codes after ten minutes', async () => {
    const booted = await bootWith('OTP', { passwordless_validity: 3600 });
    const request = await sent(booted);
    await failTimes(booted.api, request, 4);

    const api = await later(booted, '10m');

    expect(await failTimes(api, request, 4)).toEqual([400, 400, 400, 400]);
    await verify(api, { auth_request_id: request.auth_request_id, code: request.code }).expect(200);
  });

  it('does not count wrong links', async () => {
    const booted = await bootWith('LINK_OTP');
    const { auth_request_id, code } = await sent(booted);
    for (let time = 0; time < 6; time += 1)
      await verify(booted.api, { auth_request_id, link_token: 'nope' }).expect(400);

    await verify(booted.api, { auth_request_id, code }).expect(200);
  });

  it('wants the request of a link too, where it must be opened in the same browser', async () => {
    const booted = await bootWith('LINK', { passwordless_same_browser_origin: true });
    const { auth_request_id, link_token } = await sent(booted);

    const refused = await verify(booted.api, { link_token }).expect(400);

    const message = 'a link is verified with its auth_request_id, in the browser that asked for it';
    expect(refused.body).toEqual(invalid(message));
    await verify(booted.api, { link_token, auth_request_id }).expect(200);
  });

  const PENDING = 'cGFzc3dvcmRsZXNzLWFkYS1wZW5kaW5nLWNvZGUtYW5kLWxpbms';
  it.each([
    ['neither code nor link', {}, invalid('code or link_token is required')],
    ['both', { code: '1', link_token: 'x' }, invalid('code and link_token exclude each other')],
    ['a code alone', { code: '424242' }, invalid('a code is verified with its auth_request_id')],
    ['a wrong code', { code: '424243', auth_request_id: PENDING }, invalid('code is wrong')],
    ['an unknown link', { link_token: 'x' }, invalid('link_token is wrong')],
    ['another link', { link_token: 'x', auth_request_id: PENDING }, invalid('link_token is wrong')],
  ])('refuses %s', async (_, body, expected) => {
    const { api } = await boot();

    const answer = await verify(api, body).expect(400);

    expect(answer.body).toEqual(expected);
  });

  it('does not find an unknown request', async () => {
    const { api } = await boot();

    const answer = await verify(api, { code: '1', auth_request_id: 'x' }).expect(404);

    expect(answer.body).toEqual(notFound('passwordless request x not found'));
  });
});

describe('PasswordlessService_ResendPasswordlessEmail', () => {
  it('mails the same again, under the same id, with a new end', async () => {
    const booted = await bootWith('LINK_OTP');
    const first = await sent(booted, { expires_in: 900 });
    const api = await later(booted, '10m');

    const answer = await resend(api, first.auth_request_id).expect(200);

    expect(answer.body).toEqual({
      auth_request_id: first.auth_request_id,
      expires_at: String(SECONDS + 1500),
      expires_in: 900,
      passwordless_type: 'LINK_OTP',
    });
    const { auth_request_id, ...mailed } = first;
    expect(await lastMail(booted)).toEqual(mailed);
    await verify(await later(booted, '899s'), { auth_request_id, code: first.code }).expect(200);
  });

  it('mails something new where the settings say so; the old dies', async () => {
    const booted = await bootWith('LINK_OTP', { passwordless_regenerate_on_resend: true });
    const { auth_request_id, code, link_token } = await sent(booted);
    await resend(booted.api, auth_request_id).expect(200);

    const fresh = await lastMail(booted);

    expect([fresh.code, fresh.link_token]).not.toEqual([code, link_token]);
    await verify(booted.api, { link_token }).expect(400);
    await verify(booted.api, { auth_request_id, code }).expect(400);
    await verify(booted.api, { auth_request_id, code: fresh.code }).expect(200);
  });

  it('revives a request that ran out', async () => {
    const booted = await bootWith('OTP');
    const { auth_request_id, code } = await sent(booted);
    const api = await later(booted, '1h');
    await verify(api, { auth_request_id, code }).expect(400);

    await resend(api, auth_request_id).expect(200);

    await verify(api, { auth_request_id, code }).expect(200);
  });

  it('counts with what was sent before', async () => {
    const booted = await bootWith('OTP');
    const { auth_request_id } = await sent(booted);
    await resend(booted.api, auth_request_id).expect(200);

    const refused = await resend(booted.api, auth_request_id).expect(429);

    expect(refused.body).toEqual(TOO_MANY);
    expect((await send(booted.api).expect(429)).body).toEqual(TOO_MANY);
    await resend(await later(booted, '60s'), auth_request_id).expect(200);
  });

  it.each([
    ['was used', 'VERIFIED', 400, failure(9, 'FAILED_PRECONDITION', 'code or link was used already')],
    ['is blocked', 'BLOCKED', 429, BLOCKED],
  ])('refuses one that %s', async (_, status, code, body) => {
    const booted = await bootWith('OTP');
    const { auth_request_id } = await sent(booted);
    await booted.control
      .patch(`/state/passwordless_requests/${auth_request_id}`)
      .send({ status })
      .expect(200);

    const answer = await resend(booted.api, auth_request_id).expect(code);

    expect(answer.body).toEqual(body);
  });

  it('does not find an unknown request', async () => {
    const { api } = await boot();

    const answer = await resend(api, 'x').expect(404);

    expect(answer.body).toEqual(notFound('passwordless request x not found'));
  });
});
