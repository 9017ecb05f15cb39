import type { Rows } from '@understudy/core/state/env';

type Connection = Rows['connections'];
type Transaction = Rows['login_transactions'];
type Identity = NonNullable<Transaction['identity']>;

export interface ProviderForm {
  email?: string;
  given_name?: string;
  family_name?: string;
  attributes?: string;
  error?: string;
  error_description?: string;
}

/** Messages by field of the form. */
export type ProviderFormProblems = Partial<Record<'email' | 'attributes' | 'error', string>>;

export interface ProviderAnswer {
  identity?: Identity;
  error?: string;
  error_description?: string;
}

/** Claims that no attribute of a connection may override (Scalekit docs, ID token claims). */
export const RESERVED: ReadonlySet<string> = new Set([
  'roles',
  'permissions',
  'email',
  'email_verified',
  'name',
  'given_name',
  'family_name',
  'sub',
  'oid',
  'sid',
]);

const EMAIL = /^[^\s@<>"]{1,64}@[^\s@<>".]+(\.[^\s@<>".]+)+$/;

export const isEmail = (text: string) => EMAIL.test(text) && text.length <= 254;

/** Reads the form as the identity provider's answer, or returns the problems of the form. */
export function readAnswer(
  connection: Connection,
  filled: ProviderForm,
): ProviderAnswer | { problems: ProviderFormProblems } {
  if (filled.error) return readError(filled.error, filled.error_description);
  const email = filled.email?.trim() ?? '';
  if (!isEmail(email)) return { problems: { email: 'Enter an e-mail address, such as ada@acme.example.' } };
  const sent = pairsIn(filled.attributes ?? '');
  if (typeof sent === 'string') return { problems: { attributes: sent } };
  const { given_name = '', family_name = '' } = filled;
  const attributes = {
    ...registeredAttributes(connection, new Map(sent)),
    ...(given_name.trim() && { given_name: given_name.trim() }),
    ...(family_name.trim() && { family_name: family_name.trim() }),
  };
  const identity = { connection_id: connection.id, subject: email.toLowerCase(), email, attributes };
  return { identity: { ...identity, email_verified: true } };
}

function readError(error: string, description = '') {
  if (!/^[\w.-]+$/.test(error)) return { problems: { error: 'Use letters, digits and underscores.' } };
  const error_description = description.trim() || `the identity provider answered ${error}`;
  return { error, error_description };
}

/** Reads one `name=value` per line; returns a text if a line is wrong. */
export function pairsIn(text: string): [name: string, value: string][] | string {
  const pairs: [string, string][] = [];
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    if (line.trim() === '') continue;
    const [, name, value] = /^\s*([^=]*[^=\s])\s*=(.*)$/.exec(line) ?? [];
    if (name === undefined) return `Line ${index + 1} is not written as name=value.`;
    pairs.push([name, value!.trim()]);
  }
  return pairs;
}

/**
 * Keeps only attributes that the connection's mapping registers, under their mapped names (Scalekit docs, SSO
 * simulator).
 */
function registeredAttributes({ attribute_mapping = {} }: Connection, sent: ReadonlyMap<string, string>) {
  const passing = Object.entries(attribute_mapping).filter(
    ([own, theirs]) => !RESERVED.has(own) && sent.has(theirs),
  );
  return Object.fromEntries(passing.map(([own, theirs]) => [own, sent.get(theirs)!]));
}

export const registeredNames = ({ attribute_mapping = {} }: Connection): string[] =>
  Object.entries(attribute_mapping).flatMap(([own, theirs]) => (RESERVED.has(own) ? [] : [theirs]));
