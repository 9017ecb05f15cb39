import type { Env, Rows } from '@understudy/core/state/env';
import type { FieldViolation } from '@understudy/core/contract/errors';
import { refuseViolations } from '@understudy/core/operations/refusals';
import { grantedTokens, isByConsent } from './consent.ts';
import { mergeCredentials } from './credentials.ts';

type Account = Rows['connected_accounts'];
type Details = NonNullable<Account['authorization_details']>;

/** One field of the credentials form, from the `auth_patterns` of the provider. */
export interface CredentialField {
  name: string;
  label: string;
  input: 'text' | 'password' | 'select' | 'textarea';
  hint: string;
  required: boolean;
  options: readonly { value: string; label: string }[];
}

export type Credentials = Readonly<Record<string, string>>;

export function credentialFields(env: Env, account: Account): CredentialField[] {
  const { provider_key, type } = env.connections.get(account.connection_id);
  const patterns = env.providers.find(provider_key)?.auth_patterns ?? [];
  const pattern = (patterns.find((each) => each.type === type) ?? {}) as WrittenPattern;
  const written = [...(pattern.fields ?? []), ...(pattern.account_fields ?? [])];
  const named = written.filter(({ field_name }) => typeof field_name === 'string' && field_name !== '');
  const unique = new Map(named.map((each) => [each.field_name, each]));
  return unique.size > 0 ? [...unique.values()].map(fieldOf) : (DEFAULT_FIELDS[type] ?? []).map(fieldOf);
}

/** Validates the entered credentials; returns a message per field. */
export function problemsOf(fields: readonly CredentialField[], given: Credentials): Map<string, string> {
  const problems = fields.flatMap((field): [string, string][] => {
    const value = given[field.name] ?? '';
    if (value === '') return field.required ? [[field.name, `${field.label} is required.`]] : [];
    const known = field.options.length === 0 || field.options.some((option) => option.value === value);
    return known ? [] : [[field.name, `Choose one of ${field.options.map((o) => o.label).join(', ')}.`]];
  });
  return new Map(problems);
}

/** Credentials as the account stores them, without empty fields. */
export function credentialDetails(env: Env, account: Account, given: Credentials): Details {
  const entered = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== ''));
  const { subject = '', db_user = '' } = entered;
  if (account.authorization_type === 'GOOGLE_DWD')
    return mergeCredentials(env, undefined, { google_dwd: { subject } });
  if (account.authorization_type === 'TRUSTED_IDP')
    return mergeCredentials(env, undefined, { trusted_idp: { db_user } });
  return mergeCredentials(env, account.authorization_details, { static_auth: { details: entered } });
}

interface WrittenField {
  field_name?: unknown;
  label?: unknown;
  input_type?: unknown;
  hint?: unknown;
  required?: unknown;
  options?: unknown;
}

interface WrittenPattern {
  fields?: readonly WrittenField[];
  account_fields?: readonly WrittenField[];
}

/** Unverified (connected-accounts/required-fields): a field is required unless it says otherwise. */
function fieldOf({ field_name, label, input_type, hint, required, options }: WrittenField): CredentialField {
  const name = String(field_name);
  return {
    name,
    label: textOr(label, name),
    input: INPUTS.find((each) => each === input_type) ?? 'text',
    hint: textOr(hint, ''),
    required: required !== false,
    options: Array.isArray(options) ? options.map(optionOf) : [],
  };
}

const INPUTS = ['text', 'password', 'select', 'textarea'] as const;

const textOr = (value: unknown, otherwise: string) =>
  typeof value === 'string' && value !== '' ? value : otherwise;

/**
 * Unverified (connected-accounts/options-of-fields): the docs do not show how options are written. Both common
 * spellings are accepted.
 */
function optionOf(option: unknown): { value: string; label: string } {
  if (typeof option !== 'object' || option === null) return { value: String(option), label: String(option) };
  const { value, label } = option as { value?: unknown; label?: unknown };
  const text = textOr(value, textOr(label, ''));
  return { value: text, label: textOr(label, text) };
}

/** Fields for providers that define none. */
const DEFAULT_FIELDS: Readonly<Record<string, readonly WrittenField[]>> = {
  API_KEY: [{ field_name: 'api_key', label: 'API key', input_type: 'password' }],
  BASIC: [
    { field_name: 'username', label: 'Username' },
    { field_name: 'password', label: 'Password', input_type: 'password' },
  ],
  BEARER: [{ field_name: 'token', label: 'Token', input_type: 'password' }],
  OAUTH_M2M: [
    { field_name: 'client_id', label: 'Client ID' },
    { field_name: 'client_secret', label: 'Client secret', input_type: 'password' },
  ],
  GOOGLE_DWD: [{ field_name: 'subject', label: 'E-mail address of the user to act for' }],
  TRUSTED_IDP: [{ field_name: 'db_user', label: 'Database user' }],
};

type GivenCredentials = Readonly<Record<string, unknown>>;

/**
 * The credentials of a control call, or made-up ones. Throws for fields that the account's type does not
 * have.
 */
export function givenDetails(
  env: Env,
  account: Account,
  given: GivenCredentials | undefined,
): NonNullable<Account['authorization_details']> {
  if (isByConsent(account)) {
    refuseViolations(
      Object.entries(given ?? {}).flatMap(([name, value]) => tokenViolation(name, value) ?? []),
    );
    return grantedTokens(env, account, given);
  }
  const fields = credentialFields(env, account);
  const entered = given ?? Object.fromEntries(fields.map((field) => [field.name, madeUpCredentials(field)]));
  const names = fields.map(({ name }) => name);
  refuseViolations(
    Object.entries(entered).flatMap(([name, value]) => {
      if (!names.includes(name)) return violation(name, noSuchField(names), 'unknown_field');
      return typeof value === 'string' ? [] : violation(name, 'must be a string', 'type');
    }),
  );
  const texts = entered as Readonly<Record<string, string>>;
  refuseViolations(
    [...problemsOf(fields, texts)].map(([name, problem]) => violation(name, problem, 'required')),
  );
  return credentialDetails(env, account, texts);
}

const TOKEN: Readonly<Record<string, (value: unknown) => boolean>> = {
  access_token: (value) => typeof value === 'string' && value !== '',
  refresh_token: (value) => typeof value === 'string',
  domain: (value) => typeof value === 'string',
  scopes: (value) => Array.isArray(value) && value.every((each) => typeof each === 'string'),
};

function tokenViolation(name: string, value: unknown): FieldViolation | undefined {
  const isRight = Object.hasOwn(TOKEN, name) ? TOKEN[name] : undefined;
  if (!isRight) return violation(name, noSuchField(Object.keys(TOKEN)), 'unknown_field');
  if (isRight(value)) return undefined;
  return violation(name, name === 'scopes' ? 'must be a list of strings' : 'must be a string', 'type');
}

const noSuchField = (names: readonly string[]) =>
  `accounts of this connection have ${names.length > 0 ? names.join(', ') : 'no credentials'}`;

const violation = (name: string, description: string, constraint: string): FieldViolation => ({
  field: `credentials.${name}`,
  description,
  constraint,
});

const madeUpCredentials = ({ name, options }: CredentialField) => options[0]?.value ?? `test_${name}`;
