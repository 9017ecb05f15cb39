import { boot, type Agent, type Booted } from '../support/boot.ts';
import { setPasswordless } from '../support/passwordless.ts';
import { failure } from '../support/violations.ts';

export const PATH = '/api/v1/passwordless/email';
export const NOON = '2030-01-01T12:00:00.000Z';
export const PAGE = 'https://app.example.com/enter';
export const ADA = 'ada@acme.example';
export const SECONDS = Date.parse(NOON) / 1000;

const limited = (message: string) => failure(8, 'RATE_LIMITED', message);
export const TOO_MANY = limited(`${ADA} may get at most 2 mails a minute`);
export const BLOCKED = limited('too many wrong codes: start again with a new request');

/** Boots at noon with passwordless mails that contain a code, a link or both. */
export async function bootWith(type: 'OTP' | 'LINK' | 'LINK_OTP', config: object = {}) {
  const booted = await boot({ now: NOON });
  await setPasswordless(booted, { type, ...config });
  return booted;
}

export const send = (api: Agent, body: object = {}) =>
  api.post(`${PATH}/send`).send({ email: ADA, magiclink_auth_uri: PAGE, ...body });
export const resend = (api: Agent, auth_request_id: string) =>
  api.post(`${PATH}/resend`).send({ auth_request_id });
export const verify = (api: Agent, body: object) => api.post(`${PATH}/verify`).send(body);

/** Sends a mail and returns its code and link token. */
export async function sent(booted: Booted, body: object = {}) {
  const answer = await send(booted.api, body).expect(200);
  return { auth_request_id: answer.body.auth_request_id as string, ...(await lastMail(booted)) };
}

export async function lastMail({ control }: Booted) {
  const { rows } = (await control.get('/state/mails').expect(200)).body;
  const { code, link } = rows.at(-1) as { code: string; link?: string };
  const link_token = link && new URL(link).searchParams.get('link_token');
  return { code, link_token };
}
