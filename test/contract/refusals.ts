import { expect } from 'vitest';
import type supertest from 'supertest';
import { tokensOf } from '../operations/oauth-support.ts';
import { agentWith, agentWithHeaders, type Agent, type Booted } from '../support/boot.ts';
import { portalCookie } from '../support/portal.ts';
import type { Documented } from './bad-requests.ts';

const TRACE = /\n\s+at |node_modules|\.[jt]s:\d+/;

/** The shape of all errors except OAuth errors. */
const envelope = {
  code: expect.any(Number),
  message: expect.any(String),
  details: [
    expect.objectContaining({
      '@type': 'type.googleapis.com/scalekit.v1.errdetails.ErrorInfo',
      error_code: expect.any(String),
    }),
  ],
};

const jsonRpcError = {
  jsonrpc: '2.0',
  id: null,
  error: { code: expect.any(Number), message: expect.any(String), data: expect.any(Object) },
};

const oauthError = { error: expect.any(String), error_description: expect.any(String) };

/** An agent whose calls the operation accepts. */
export async function agentFor(booted: Booted, { wants }: Pick<Documented, 'wants'>): Promise<Agent> {
  if (wants === 'client') return booted.api;
  if (wants === 'portal') return agentWithHeaders(booted.anonymous, { cookie: await portalCookie(booted) });
  return agentWith(booted.anonymous, (await tokensOf(booted)).access_token);
}

/** Sends the body; a string stays a JSON string. */
export function call(
  agent: Agent,
  { verb, mediaType }: Documented,
  path: string,
  body: unknown,
): supertest.Test {
  const request = agent[verb](path);
  if (body === undefined) return request;
  const form = mediaType === 'application/x-www-form-urlencoded';
  const text = form ? new URLSearchParams(body as [string, string][]).toString() : JSON.stringify(body);
  return raw(request, mediaType ?? 'application/json', text);
}

export function raw(request: supertest.Test, mediaType: string, bytes: string | Buffer): supertest.Test {
  const sent = request.set('content-type', mediaType);
  // Without this, supertest would serialize the text or bytes again.
  return sent.serialize((body: unknown) => body as string).send(bytes as string);
}

/** Expects an error with one of these statuses and the documented shape, without stack traces. */
export function expectRefusal(
  response: supertest.Response,
  statuses: readonly number[],
  { dialect }: Pick<Documented, 'dialect'>,
): void {
  expect(statuses).toContain(response.status);
  if (dialect === 'page') {
    expect(response.headers['content-type']).toBe('text/html; charset=utf-8');
    expect(response.text).toContain(`Status ${response.status}.`);
  } else
    expect(response.body).toEqual(
      {
        service: envelope,
        control: envelope,
        oauth: oauthError,
        mcp: jsonRpcError,
        registration: { ...envelope, ...oauthError },
        scim: expect.objectContaining({
          schemas: [expect.stringMatching(/:Error$/)],
          status: String(response.status),
          detail: expect.any(String),
        }),
      }[dialect],
    );
  expect(response.text).not.toMatch(TRACE);
}

export const fieldsOf = (response: supertest.Response): string[] =>
  (response.body.details?.[0]?.validation_error_info?.field_violations ?? []).map(
    (each: { field: string }) => each.field,
  );
