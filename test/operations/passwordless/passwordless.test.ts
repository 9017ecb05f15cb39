import { describe, expect, it } from 'vitest';
import { boot } from '../../support/boot.ts';
import { later } from '../../support/later.ts';
import { failure, notFound, pairs, refusal, tooManyPairs } from '../../support/violations.ts';
import {
  ADA,
  BLOCKED,
  bootWith,
  lastMail,
  NOON,
  PAGE,
  PATH,
  resend,
  SECONDS,
  send,
  sent,
  TOO_MANY,
  verify,
} from '../passwordless-support.ts';

const ID = expect.stringMatching(/^[A-Za-z0-9_-]{50}$/);

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
        text: [
          'To sign up, enter the code.',
          `Your code:\n${code}`,
          'You can use this once, until Tue, 01 Jan 2030 12:05 UTC.',
          'If this was not you, ignore this mail: nobody can sign in without it.',
        ].join('\n\n'),
        code: expect.stringMatching(/^\d{6}$/),
        time: NOON,
      },
    ]);
  });

  it.each([
    ['LINK', PAGE, `${PAGE}?link_token=`],
    ['LINK_OTP', `${PAGE}?from=mail#top`, `${PAGE}?from=mail&link_token=`],
  ] as const)('mails a link to the page of the application: %s', async (type, page, begins) => {
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

  it('takes the lifetime from the request or else from the connection', async () => {
    const { api } = await bootWith('OTP', { validity: 600 });

    const answers = [await send(api, { expires_in: 3600 }), await send(api, { expires_in: 0 })];

    expect(answers.map(({ body }) => [body.expires_in, body.expires_at])).toEqual([
      [3600, String(SECONDS + 3600)],
      [600, String(SECONDS + 600)],
    ]);
  });

  it('uses the default settings of the connection in an empty environment', async () => {
    const { api } = await boot({ now: NOON, fixture: 'empty' });

    const { body } = await send(api).expect(200);

    expect([body.passwordless_type, body.expires_in]).toEqual(['OTP', 300]);
  });

  it('prefers the settings of the environment over the connection', async () => {
    const booted = await bootWith('LINK', { validity: 600 });
    const settings = { passwordless_type: 'OTP', passwordless_validity: 60 };
    await booted.control.patch('/state/settings/settings').send(settings).expect(200);

    const { body } = await send(booted.api).expect(200);

    expect([body.passwordless_type, body.expires_in]).toEqual(['OTP', 60]);
  });

  it.each([
    ['NUMERIC', 8, /^\d{8}$/],
    ['ALPHANUMERIC', 5, /^[A-HJ-NP-Z2-9]{5}$/],
    ['NUMERIC', 4_000_000_000, /^\d{20}$/],
  ])(
    'creates codes as the connection defines: %s, %s',
    async (code_challenge_type, code_challenge_length, code) => {
      const booted = await bootWith('OTP', { code_challenge_type, code_challenge_length });

      const request = await sent(booted);

      expect(request.code).toMatch(code);
      await verify(booted.api, { auth_request_id: request.auth_request_id, code: request.code }).expect(200);
    },
  );

  it('does not return the code or the link', async () => {
    const booted = await bootWith('LINK_OTP');

    const answer = await send(booted.api).expect(200);

    const { code, link_token } = await lastMail(booted);
    expect(JSON.stringify(answer.body)).not.toContain(code);
    expect(JSON.stringify(answer.body)).not.toContain(link_token);
  });

  it('limits mails to two per minute and address, in any letter case', async () => {
    const booted = await bootWith('OTP');
    await send(booted.api).expect(200);
    await (await later(booted, '30s')).post(`${PATH}/send`).send({ email: 'ADA@acme.example' }).expect(200);

    const early = await send(await later(booted, '29s')).expect(429);
    await send(await later(booted, '1s')).expect(200);
    const again = await send(booted.api).expect(429);

    expect([early.body, again.body]).toEqual([TOO_MANY, TOO_MANY]);
    await send(booted.api, { email: 'ravi@acme.example' }).expect(200);
  });

  it('has no limit when the frequency of the connection is 0', async () => {
    const booted = await bootWith('OTP', { frequency: 0 });

    for (let mail = 0; mail < 5; mail += 1) await send(booted.api).expect(200);
  });

  it.each(['LINK', 'LINK_OTP'] as const)('requires magiclink_auth_uri for the type %s', async (type) => {
    const { api, control } = await bootWith(type);

    const answer = await api.post(`${PATH}/send`).send({ email: ADA }).expect(400);

    expect(answer.body).toEqual({
      ...refusal({
        field: 'magiclink_auth_uri',
        description: 'magiclink_auth_uri is required',
        constraint: 'required',
      }),
      message: 'magiclink_auth_uri is required',
    });
    expect((await control.get('/state/mails').expect(200)).body.rows).toEqual([]);
  });

  it('refuses the names of reserved template variables and lists each', async () => {
    const { api } = await boot();

    const answer = await send(api, { template_variables: { otp: '1', name: 'Ada', link: 'x' } }).expect(400);

    const violations = answer.body.details[0].validation_error_info.field_violations;
    expect(violations.map(({ field }: { field: string }) => field)).toEqual([
      'template_variables["otp"]',
      'template_variables["link"]',
    ]);
  });

  it('accepts at most 30 template variables', async () => {
    const { api } = await boot();
    await send(api, { template_variables: pairs(30) }).expect(200);

    const answer = await send(api, { template_variables: pairs(31) }).expect(400);

    expect(answer.body).toEqual(refusal(tooManyPairs(30)('template_variables')));
  });

  it('puts the name of the environment into ids and links', async () => {
    const booted = await boot();
    const { api, control } = await booted.environment('suite-1');
    await control.patch('/state/settings/settings').send({ passwordless_type: 'LINK' }).expect(200);

    const answer = await send(api).expect(200);

    const [mail] = (await control.get('/state/mails').expect(200)).body.rows;
    expect(answer.body.auth_request_id).toMatch(/^suite-1\./);
    expect(mail.link).toContain('?link_token=suite-1.');
  });
});

describe('PasswordlessService_ResendPasswordlessEmail', () => {
  it('sends the same code and link again with a new expiry time', async () => {
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

  it('sends a new code and link when the connection regenerates them, and invalidates the old ones', async () => {
    const booted = await bootWith('LINK_OTP', { regenerate_passwordless_credentials_on_resend: true });
    const { auth_request_id, code, link_token } = await sent(booted);
    await resend(booted.api, auth_request_id).expect(200);

    const fresh = await lastMail(booted);

    expect([fresh.code, fresh.link_token]).not.toEqual([code, link_token]);
    await verify(booted.api, { link_token }).expect(400);
    await verify(booted.api, { auth_request_id, code }).expect(400);
    await verify(booted.api, { auth_request_id, code: fresh.code }).expect(200);
  });

  it('renews an expired request', async () => {
    const booted = await bootWith('OTP');
    const { auth_request_id, code } = await sent(booted);
    const api = await later(booted, '1h');
    await verify(api, { auth_request_id, code }).expect(400);

    await resend(api, auth_request_id).expect(200);

    await verify(api, { auth_request_id, code }).expect(200);
  });

  it('counts towards the limit of mails per minute', async () => {
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
  ])('refuses a request that %s', async (_, status, code, body) => {
    const booted = await bootWith('OTP');
    const { auth_request_id } = await sent(booted);
    await booted.control
      .patch(`/state/passwordless_requests/${auth_request_id}`)
      .send({ status })
      .expect(200);

    const answer = await resend(booted.api, auth_request_id).expect(code);

    expect(answer.body).toEqual(body);
  });

  it('answers 404 for an unknown request', async () => {
    const { api } = await boot();

    const answer = await resend(api, 'x').expect(404);

    expect(answer.body).toEqual(notFound('passwordless request x not found'));
  });
});
