import { describe, expect, it } from 'vitest';
import { boot, type Agent } from '../../support/boot.ts';
import { later } from '../../support/later.ts';
import { failure, invalid, notFound } from '../../support/violations.ts';
import { ADA, BLOCKED, bootWith, sent, verify } from '../passwordless-support.ts';

const wrongOf = (code: string) => (code === '000000' ? '000001' : '000000');

async function failTimes(api: Agent, request: { auth_request_id: string; code: string }, times: number) {
  const { auth_request_id, code } = request;
  const statuses = [];
  for (let time = 0; time < times; time += 1)
    statuses.push((await verify(api, { auth_request_id, code: wrongOf(code) })).status);
  return statuses;
}

describe('PasswordlessService_VerifyPasswordlessEmail', () => {
  it('accepts a code with its auth_request_id and returns the given state and template', async () => {
    const booted = await bootWith('OTP');
    const { auth_request_id, code } = await sent(booted, { state: 'here', template: 'SIGNIN' });

    const answer = await verify(booted.api, { auth_request_id, code }).expect(200);

    expect(answer.body).toEqual({ email: ADA, state: 'here', template: 'SIGNIN', passwordless_type: 'OTP' });
  });

  it.each([
    ['alone', false],
    ['with its auth_request_id', true],
  ])('accepts a link token %s', async (_, withRequest) => {
    const booted = await bootWith('LINK');
    const { auth_request_id, link_token } = await sent(booted);

    const answer = await verify(booted.api, { link_token, ...(withRequest && { auth_request_id }) });

    expect([answer.status, answer.body]).toEqual([200, { email: ADA, passwordless_type: 'LINK' }]);
  });

  it('accepts either the code or the link, and only once', async () => {
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

  it('accepts a code until its last second', async () => {
    const booted = await bootWith('OTP');
    const { auth_request_id, code } = await sent(booted);

    const api = await later(booted, '299s');

    await verify(api, { auth_request_id, code }).expect(200);
  });

  it('refuses an expired code and an expired link', async () => {
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

  it('blocks the request after five wrong codes, even for the right code', async () => {
    const booted = await bootWith('OTP', { validity: 3600 });
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

  it('resets the count of wrong codes after ten minutes', async () => {
    const booted = await bootWith('OTP', { validity: 3600 });
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

  it('requires the auth_request_id of a link when enforce_same_browser_origin is set', async () => {
    const booted = await bootWith('LINK', { enforce_same_browser_origin: true });
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
    [
      'a code without its auth_request_id',
      { code: '424242' },
      invalid('a code is verified with its auth_request_id'),
    ],
    ['a wrong code', { code: '424243', auth_request_id: PENDING }, invalid('code is wrong')],
    ['an unknown link', { link_token: 'x' }, invalid('link_token is wrong')],
    ['a wrong link', { link_token: 'x', auth_request_id: PENDING }, invalid('link_token is wrong')],
  ])('refuses %s', async (_, body, expected) => {
    const { api } = await boot();

    const answer = await verify(api, body).expect(400);

    expect(answer.body).toEqual(expected);
  });

  it('answers 404 for an unknown request', async () => {
    const { api } = await boot();

    const answer = await verify(api, { code: '1', auth_request_id: 'x' }).expect(404);

    expect(answer.body).toEqual(notFound('passwordless request x not found'));
  });
});
