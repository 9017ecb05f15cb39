import { invalidArgument, notFound, type ApiError } from '../../contract/errors.ts';
import type { RuleId } from '../../contract/rule-ids.gen.ts';
import type { Rows } from '../../state/env.ts';
import type { Env } from '../../state/env.ts';
import { drawSecret } from '@understudy/text/issued-code';
import { viewSecret } from './client-view.ts';

type Client = Rows['clients'];
type Secret = Client['secrets'][number];

const LONGEST_ID = 32;

type ClientPrefix = 'webc' | 'spac' | 'ntvc' | 'm2morg' | 'm2m';

/**
 * Ids outside the environment `default` contain the environment's name if it fits; secrets always contain it.
 */
export function newClientId(env: Env, prefix: ClientPrefix): string {
  const plain = env.draw.id(prefix);
  if (env.environment === 'default') return plain;
  const naming = plain.replace('_', `_${env.environment}_`);
  return naming.length <= LONGEST_ID ? naming : plain;
}

export function newSecret(env: Env): Secret {
  const now = env.clock.iso();
  return {
    id: env.draw.id('sks'),
    secret: drawSecret(env),
    create_time: now,
    update_time: now,
    ...(env.caller && { created_by: env.caller.client_id }),
    status: 'ACTIVE',
  };
}

/** Adds a secret and returns it. No later call shows the secret again. */
export function addSecret(env: Env, client: Client, limit: SecretLimit) {
  refuseMoreThan(env, client, limit);
  const secret = newSecret(env);
  env.clients.update(client.id, { secrets: [...client.secrets, secret], update_time: env.clock.iso() });
  return { plain_secret: secret.secret, secret: { ...viewSecret(secret), plain_secret: secret.secret } };
}

interface SecretStatusChange {
  id: string;
  /** undefined keeps the status. */
  status: 'ACTIVE' | 'INACTIVE' | undefined;
  limit: SecretLimit;
}

/** `rule`: the one that sets the limit, if no source states it. */
export interface SecretLimit {
  most: number;
  rule?: RuleId;
}

export function switchSecret(env: Env, client: Client, { id, status, limit }: SecretStatusChange) {
  const secret = client.secrets.find((each) => each.id === id);
  if (!secret) throw notFound('secret', id);
  if (!status) return viewSecret(secret);
  if (status === 'ACTIVE' && secret.status === 'INACTIVE') refuseMoreThan(env, client, limit);
  const changed = { ...secret, status, update_time: env.clock.iso() };
  const secrets = client.secrets.map((each) => (each === secret ? changed : each));
  env.clients.update(client.id, { secrets, update_time: env.clock.iso() });
  return viewSecret(changed);
}

/**
 * The error is that of the docs of the Python SDK (secrets of resource clients). Unverified (clients/secret-limit): it
 * is the same for other clients, and only usable secrets count.
 */
function refuseMoreThan(
  env: Env,
  client: Client,
  { most, rule = 'clients/secret-limit' }: SecretLimit,
): void {
  const active = client.secrets.filter((each) => isUsable(env, each)).length;
  if (active >= most) throw invalidArgument(`only ${most} secrets are allowed`).decidedBy(rule);
}

/**
 * Unverified (clients/tokens-of-removed-secrets): tokens that were issued for the secret stay valid until they expire.
 */
export function removeSecret(env: Env, client: Client, secretId: string, refuseLast: () => ApiError): void {
  if (!client.secrets.some(({ id }) => id === secretId)) throw notFound('secret', secretId);
  if (client.secrets.length === 1) throw refuseLast();
  env.decidedBy('clients/tokens-of-removed-secrets');
  const secrets = client.secrets.filter(({ id }) => id !== secretId);
  env.clients.update(client.id, { secrets, update_time: env.clock.iso() });
}

export function isUsable(env: Env, { status, expire_time }: Secret): boolean {
  return status !== 'INACTIVE' && !(expire_time && env.clock.isPast(expire_time));
}
