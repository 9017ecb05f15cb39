import { createHash } from 'node:crypto';
import { expect } from 'vitest';
import type { Agent, Booted } from './boot.ts';
import { Browser, type Visit } from './browser.ts';

/** A client of the resource that was created by a call. */
export const REPORTING = { client_id: 'm2m_10000000000000001', client_secret: 'test_reporting_agent_secret' };
export const CALLBACK = 'http://localhost:4000/callback';
export const ADA = { id: 'usr_10000000000000101', email: 'ada@acme.example' };

export const VERIFIER = 'a-verifier-of-a-suite-that-is-long-enough-for-it';
const PKCE = {
  code_challenge: createHash('sha256').update(VERIFIER).digest('base64url'),
  code_challenge_method: 'S256',
};

/** Creates a protected resource with a scope. */
export async function aResource(api: Agent, wanted: object = {}) {
  const { body } = await api
    .post('/api/v1/resources')
    .send({
      name: 'Invoice server',
      resource_type: 'MCP_SERVER',
      resource_uri: 'http://localhost:3002/mcp',
      scopes: ['invoices:read'],
      ...wanted,
    })
    .expect(201);
  return body.resource as { id: string; protected_metadata: { authorization_servers: string[] } };
}

/** Registers a public client at the resource by its own call. */
export async function registered(
  { anonymous }: Pick<Booted, 'anonymous'>,
  resource: string,
  metadata: object = {},
) {
  const { body } = await anonymous
    .post(`/api/v1/resources/${resource}/clients:register`)
    .send({
      client_name: 'Laptop agent',
      redirect_uris: [CALLBACK],
      token_endpoint_auth_method: 'none',
      ...metadata,
    })
    .expect(201);
  return body as Record<string, string> & { client_id: string };
}

type Parameters = Record<string, string | undefined>;

export function authorizeUrl(resource: string, parameters: Parameters): string {
  const all: Parameters = {
    redirect_uri: CALLBACK,
    response_type: 'code',
    state: 'kept',
    ...PKCE,
    ...parameters,
  };
  const given = Object.entries(all).filter((pair): pair is [string, string] => pair[1] !== undefined);
  return `/resources/${resource}/oauth/authorize?${new URLSearchParams(given)}`;
}

/** Signs Ada in and returns the consent page, or where the client asked to go if none is shown. */
export async function askedForConsent(
  booted: Booted,
  resource: string,
  parameters: Parameters,
): Promise<Visit> {
  const page = await new Browser(booted).open(authorizeUrl(resource, parameters));
  return page.submit({ user_id: ADA.id });
}

/** The code of Ada's sign-in; she allows what is asked. */
export async function codeFor(booted: Booted, resource: string, parameters: Parameters): Promise<string> {
  const asked = await askedForConsent(booted, resource, parameters);
  const visit = asked.status === 200 ? await asked.submit({ decision: 'allow' }) : asked;
  expect(visit.url).toContain('code=');
  return visit.query('code')!;
}

export const askToken = (agent: Agent, resource: string, form: Record<string, string>) =>
  agent.post(`/resources/${resource}/oauth/token`).type('form').send(form);

export const exchange = (client_id: string, code: string) => ({
  grant_type: 'authorization_code',
  client_id,
  code,
  redirect_uri: CALLBACK,
  code_verifier: VERIFIER,
});

export const claimsOf = (token: string) =>
  JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString()) as Record<string, unknown>;
