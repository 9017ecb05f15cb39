import { ApiError } from '@understudy/core/contract/errors';
import type { Rows } from '@understudy/core/state/env';
import type { Env } from '@understudy/core/state/env';

type Account = Rows['connected_accounts'];
type Connection = Rows['connections'];
type Details = Account['authorization_details'];
export type ScopeSelection = NonNullable<Account['scope_selection']>;

/** The scopes that a connection asks for, and those of them that nobody may leave out. */
interface Choice {
  isAllowed: boolean;
  scopes: readonly string[];
  required: readonly string[];
  optional: readonly string[];
  requiredOptional: readonly string[];
}

export function choiceOf(env: Env, { provider_key, oauth_config, google_dwd_config }: Connection): Choice {
  const config = { ...google_dwd_config, ...oauth_config };
  return {
    isAllowed: config.scope_selection_allowed ?? false,
    scopes: config.scopes ?? env.providers.find(provider_key)?.scopes ?? [],
    required: config.required_scopes ?? [],
    optional: oauth_config?.optional_scopes?.scopes ?? [],
    requiredOptional: oauth_config?.required_optional_scopes ?? [],
  };
}

/** The picked scopes and the required ones, in the order of the connection. Throws for others. */
export function selectionOf(choice: Choice, picked: Partial<ScopeSelection>): ScopeSelection {
  const { scopes = [], optional_scopes = [] } = picked;
  const strange = [
    ...scopes.filter((scope) => !choice.scopes.includes(scope)),
    ...optional_scopes.filter((scope) => !choice.optional.includes(scope)),
  ];
  if (strange.length > 0)
    throw new ApiError(
      'invalid_argument',
      `INVALID_SCOPE_SELECTION: the connection does not have the scopes ${strange.slice(0, 10).join(', ')}`,
      { why: { kind: 'contract' } },
    );
  const chosen = (all: readonly string[], some: readonly string[], required: readonly string[]) =>
    all.filter((scope) => some.includes(scope) || required.includes(scope));
  return {
    scopes: chosen(choice.scopes, scopes, choice.required),
    optional_scopes: chosen(choice.optional, optional_scopes, choice.requiredOptional),
  };
}

/** What an update picks: only on connections without a consent page that allow it. Without one, the earlier one stays. */
export function newSelection(
  env: Env,
  account: Account,
  picked: Partial<ScopeSelection> | undefined,
): ScopeSelection | undefined {
  const connection = env.connections.get(account.connection_id);
  const choice = choiceOf(env, connection);
  const isPicked = connection.type === 'OAUTH_M2M' || connection.type === 'GOOGLE_DWD';
  return picked && isPicked && choice.isAllowed ? selectionOf(choice, picked) : account.scope_selection;
}

/** The scopes to ask for: those that were picked, or else all of the connection's. */
export function wantedScopes(env: Env, { connection_id, scope_selection }: Account): string[] {
  const choice = choiceOf(env, env.connections.get(connection_id));
  if (!choice.isAllowed || !scope_selection) return [...choice.scopes];
  const { scopes, optional_scopes } = selectionOf(choice, kept(choice, scope_selection));
  return [...scopes, ...optional_scopes];
}

/** Stores what the end user picks on the page of the provider. Required scopes are added, and strange ones left out. */
export function keepPicked(env: Env, account: Account, picked: ScopeSelection): Account {
  const choice = choiceOf(env, env.connections.get(account.connection_id));
  if (!choice.isAllowed) return account;
  return env.connected_accounts.update(account.id, {
    scope_selection: selectionOf(choice, kept(choice, picked)),
  });
}

/** Without what the connection has no longer. */
const kept = ({ scopes, optional }: Choice, selection: ScopeSelection): ScopeSelection => ({
  scopes: selection.scopes.filter((scope) => scopes.includes(scope)),
  optional_scopes: selection.optional_scopes.filter((scope) => optional.includes(scope)),
});

/** Credentials of a delegation have the scopes that were picked. */
export function withSelection(
  env: Env,
  account: Account | (Omit<Account, 'scope_selection'> & { scope_selection: ScopeSelection | undefined }),
  merged: Details,
): Details {
  const { scope_selection, ...rest } = account;
  const details = merged ?? (scope_selection ? account.authorization_details : undefined);
  if (!details?.google_dwd || !scope_selection) return merged;
  const scopes = wantedScopes(env, { ...rest, scope_selection });
  return { google_dwd: { ...details.google_dwd, scopes } };
}
