import { snakeCase } from '../contract/proto-json.ts';
import type { PatchStep } from './json-patch.ts';

const SECRET_NAMES = new Set([
  'access_token',
  'refresh_token',
  'id_token',
  'client_secret',
  'plain_secret',
  'secret',
  'password',
  'token',
  'api_key',
  'authorization',
  'cookie',
  'set-cookie',
  'assertion',
  'code_verifier',
  'service_account_json',
  'secret_access_key',
  'session_token',
  'txt_record_secret',
]);
const REDACTED = '[redacted]';

/** The value with the contents of every member that holds a secret replaced. */
export function redact(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(redact);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, isSecret(name, member) ? REDACTED : redact(member)]),
  );
}

/** Bodies are kept as they came: with names in either spelling, and with secrets that come twice. */
function isSecret(name: string, member: unknown): boolean {
  const wireName = snakeCase(name);
  // The free JSON of static credentials is secret as a whole: any member may be one.
  if (wireName === 'static_auth') return member !== null;
  const isObject = typeof member === 'object' && !Array.isArray(member);
  return !isObject && (SECRET_NAMES.has(wireName) || SECRET_NAMES.has(name.toLowerCase()));
}

/** The same for a patch: the names on the way to a value say what it is. */
export const redactPatch = (patch: readonly PatchStep[]): PatchStep[] =>
  patch.map((step) => {
    if (!('value' in step)) return step;
    const names = step.path.split('/').slice(3);
    const hidden = names.some((name) => isSecret(name, step.value));
    return { ...step, value: hidden ? REDACTED : redact(step.value) };
  });
