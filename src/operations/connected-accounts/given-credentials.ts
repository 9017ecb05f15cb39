import { validationError, type FieldViolation } from '../../errors.ts';
import type { Rows } from '../../world/schema.ts';
import type { World } from '../../world/world.ts';
import { isByConsent } from './consent.ts';
import {
  credentialDetails,
  credentialFields,
  problemsOf,
  type CredentialField,
} from './credential-fields.ts';
import { grantedTokens } from './third-party.ts';

type Account = Rows['connected_accounts'];
type Given = Readonly<Record<string, unknown>>;

/** Credentials that a tester gives an account, or made-up ones. Throws for those that no account of its kind has. */
export function givenDetails(
  world: World,
  account: Account,
  given: Given | undefined,
): NonNullable<Account['authorization_details']> {
  if (isByConsent(account)) {
    refuse(Object.entries(given ?? {}).flatMap(([name, value]) => tokenViolation(name, value) ?? []));
    return grantedTokens(world, account, given);
  }
  const fields = credentialFields(world, account);
  const entered = given ?? Object.fromEntries(fields.map((field) => [field.name, madeUp(field)]));
  const names = fields.map(({ name }) => name);
  refuse(
    Object.entries(entered).flatMap(([name, value]) => {
      if (!names.includes(name)) return violation(name, noSuchField(names), 'unknown_field');
      return typeof value === 'string' ? [] : violation(name, 'must be a text', 'type');
    }),
  );
  const texts = entered as Readonly<Record<string, string>>;
  refuse([...problemsOf(fields, texts)].map(([name, problem]) => violation(name, problem, 'required')));
  return credentialDetails(world, account, texts);
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
  return violation(name, name === 'scopes' ? 'must be a list of texts' : 'must be a text', 'type');
}

const noSuchField = (names: readonly string[]) =>
  `accounts of this connection have ${names.length > 0 ? names.join(', ') : 'no credentials'}`;

const violation = (name: string, description: string, constraint: string): FieldViolation => ({
  field: `credentials.${name}`,
  description,
  constraint,
});

function refuse(violations: readonly FieldViolation[]): void {
  if (violations.length > 0) throw validationError(violations);
}

const madeUp = ({ name, options }: CredentialField) => options[0]?.value ?? `test_${name}`;
