import { expect } from 'vitest';
import type { Agent, Booted } from '../support/boot.ts';
import { ACME } from '../support/fixture-ids.ts';

/** A user with an invitation to NORDWIND that waits. */
export const ORGANIZATIONS = '/api/v1/organizations';
export const ACCOUNTS = '/api/v1/connected_accounts';
export const USERS = `${ORGANIZATIONS}/${ACME}/users`;

/** `PUT /path`, with a body. */
export function send(agent: Agent, call: string, body?: object) {
  const [method, path] = call.split(' ') as [string, string];
  const request = agent[method.toLowerCase() as keyof Agent](path);
  return body ? request.send(body) : request;
}

export type Answer = Awaited<ReturnType<typeof send>>;

/** What the service says, the call, its body, the status, and what the answer has. */
export type Line = [says: string, call: string, sent: object | undefined, status: number, has?: object];

export async function check({ api }: Booted, [, call, sent, status, has]: Line): Promise<void> {
  const { status: got, body, text } = await send(api, call, sent);

  expect(got, text).toBe(status);
  if (has) expect(body).toMatchObject(has);
}

/** The violation of one field. */
export const violated = (field: string) => ({
  code: 3,
  details: [{ validation_error_info: { field_violations: [expect.objectContaining({ field })] } }],
});

export const pairs = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`key${at}`, 'value']));

export const text = (length: number) => 'x'.repeat(length);
