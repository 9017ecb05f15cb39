import type { RuleId } from '../contract/rule-ids.gen.ts';
import { rowNamed, type Cause } from '../contract/cause.ts';
import type { Collection, Env } from '../state/env.ts';
import { ApiError, type FailureName } from '../contract/errors.ts';

/** Why a new row cannot be: another one has the same key. */
interface Conflict {
  failure: Extract<FailureName, 'already_exists' | 'invalid_argument'>;
  /** The error code, if it is not that of the failure. */
  errorCode?: string;
  /** Whether the setting `older_conflicts` makes this a bad request. */
  changed?: true;
  says: (key: string, where: string) => string;
  /** The reason for the journal, if the message does not name the key. */
  explains?: (key: string, where: string) => string;
  /** The rule that gives the status, if no source does. */
  rule?: RuleId;
}

const DUPLICATE = 'duplicate key not allowed';

/** Unverified (errors/taken-keys): no source gives the status of these, only the text of some. */
const GUESSED = { rule: 'errors/taken-keys' } as const;

const CONFLICTS = {
  // The newest SDKs expect 409 of these two. Older ones expect 400; the words are the same.
  role: {
    failure: 'already_exists',
    errorCode: 'ROLE_KEYNAME_CONFLICT',
    changed: true,
    says: () => DUPLICATE,
    explains: (name) => `There is a role ${name} already`,
  },
  permission: {
    failure: 'already_exists',
    changed: true,
    says: () => DUPLICATE,
    explains: (name) => `There is a permission ${name} already`,
  },
  // The documents list 409.
  account: {
    failure: 'already_exists',
    says: (identifier, connector) =>
      `connected account with identifier ${identifier} exists already for ${connector}`,
  },
  // The documents list 400, and no 409.
  domain: { failure: 'invalid_argument', says: (domain) => `domain ${domain} already exists` },
  mcpConfig: {
    failure: 'invalid_argument',
    says: (name) => `${DUPLICATE}: mcp config ${name} exists already`,
  },
  mcpInstance: {
    failure: 'invalid_argument',
    says: (name) => `${DUPLICATE}: mcp instance ${name} exists already`,
  },
  // The descriptors of the Python SDK give 409.
  redirectAddress: {
    failure: 'already_exists',
    says: (address) => `redirect address ${address} exists already`,
  },
  membership: {
    ...GUESSED,
    failure: 'already_exists',
    says: () => 'user already exists in the organization',
    explains: (user, organization) => `User ${user} is a member of organization ${organization} already`,
  },
  member: { ...GUESSED, failure: 'already_exists', says: (email) => `member ${email} exists already` },
  connection: {
    ...GUESSED,
    failure: 'already_exists',
    says: (key) => `connection with key_id ${key} exists already`,
  },
  provider: {
    ...GUESSED,
    failure: 'already_exists',
    says: (identifier) => `provider ${identifier} exists already`,
  },
  ownKey: { ...GUESSED, failure: 'invalid_argument', says: (value, field) => `duplicate ${field} ${value}` },
  scope: { ...GUESSED, failure: 'invalid_argument', says: (name) => `duplicate scope ${name}` },
} satisfies Record<string, Conflict>;

interface TakenKey {
  key: string;
  /** What the key belongs to, or its field. */
  where?: string;
  /** The row that has it. */
  by: { readonly id: string };
}

/** The refusal of a key that another row has. */
export function taken(
  env: Env,
  kind: keyof typeof CONFLICTS,
  { key, where = '', by }: TakenKey,
  collection: Collection,
): ApiError {
  const { failure, errorCode, changed, says: wording, explains = wording, rule }: Conflict = CONFLICTS[kind];
  const message = wording(key, where);
  const says = `${explains(key, where)} (${by.id})`;
  const why: Cause = { kind: 'taken', says, rows: [rowNamed(collection, by)] };
  if (changed && env.settings.get('settings').older_conflicts)
    return new ApiError('invalid_argument', message, { why });
  const refusal = new ApiError(failure, message, { why, ...(errorCode !== undefined && { errorCode }) });
  return rule ? refusal.decidedBy(rule) : refusal;
}
