import type { Cause } from '@understudy/core/contract/cause';
import { isDeepStrictEqual } from 'node:util';
import { ApiError, type FailureName } from '@understudy/core/contract/errors';
import type { UnknownField } from '@understudy/core/contract/types';
import type { Rows } from '@understudy/core/state/env';
import type { Env } from '@understudy/core/state/env';
import { isObject } from '@understudy/text/json';
import { shortened, suggest, suggestAmong } from '@understudy/text/suggestion';
import {
  belongsTo,
  holderOf,
  notActive,
  orgWideAccount,
  preferredAccount,
  usedAccount,
  type AccountSelection,
  inactiveAccount,
} from '../accounts/account-selection.ts';
import { keepFresh } from '../accounts/credentials.ts';
import type { Operations } from '@understudy/core/operations/handler';
import { toolNamed, remoteAnswer, RemoteFailure } from './connection-tools.ts';
import { acceptsUnknown } from '@understudy/core/operations/connections/provider-tools';
import { ACCEPT_TOOLS, genericTool, isGeneric, providerInName } from './generic-tools.ts';
import { fillTemplate, type Params } from './tool-response.ts';

type Account = Rows['connected_accounts'];
type Tool = Rows['tools'];

interface ToolRun {
  env: Env;
  execution_id: string;
}

export const tools = {
  ToolService_ExecuteTool({ body }, env) {
    const run = { env, execution_id: env.draw.id('exec') };
    const tool = findTool(env, body.tool_name, { ...body, id: body.connected_account_id });
    const account = usableAccount(run, tool, { ...body, id: body.connected_account_id });
    const params = checkedParams(env, tool, body.params ?? {});

    refuseInactive(run, keepFresh(env, account));
    const fresh = keepFresh(env, holderOf(env, account));
    refuseInactive(run, fresh);
    env.trace(() => env.connected_accounts.update(account.id, { last_used_at: env.clock.iso() }));
    return { data: answerOf(run, tool, params, fresh), execution_id: run.execution_id };
  },
} satisfies Partial<Operations>;

/** What the template cannot find or make is the provider's failure. */
function answerOf(run: ToolRun, tool: Tool, params: Params, account: Account) {
  if (isGeneric(tool)) return { tool_name: tool.definition.name, params };
  const { response = {}, error } = chosenAnswer(tool, params);
  if (error) throw toolError(run, 'tool_error', error.code ?? 'TOOL_EXEC_FAILED', error.message);
  try {
    const remote = remoteAnswer(run.env, tool, params, account);
    return remote ?? fillTemplate(response, params, run.env, account);
  } catch (thrown) {
    if (thrown instanceof RemoteFailure)
      throw toolError(run, thrown.failure, 'TOOL_EXEC_FAILED', thrown.message).because(PROVIDER);
    if (!(thrown instanceof ApiError) || thrown.failure !== 'not_found') throw thrown;
    throw toolError(run, 'not_found', 'NOT_FOUND', thrown.message).because(thrown.why);
  }
}

function findTool(env: Env, name: string | undefined, selection: AccountSelection): Tool {
  if (!name) throw refused('invalid_argument', 'tool name is required');
  const tool = toolNamed(env, name);
  if (tool) return tool;
  if (acceptsUnknown(env)) return genericTool(name, genericProvider(env, name, selection));
  const known = env.tools.list().map(({ definition }) => definition.name);
  throw refused(
    'not_found',
    `tool not found: ${shortened(name)}${suggest(name, known)}; ${ACCEPT_TOOLS}`,
  ).because({
    kind: 'unknown',
  });
}

/** A generic tool is one of the selected account, or of the provider in its name. */
function genericProvider(env: Env, name: string, selection: AccountSelection): string {
  const { id, connector } = selection;
  if (id || connector) return env.connections.get(selectedAccount(env, selection).connection_id).provider_key;
  const provider = providerInName(env, name);
  if (provider !== undefined) return provider;
  throw refused(
    'not_found',
    `no provider of tool ${shortened(name)}: give connector or connected_account_id`,
  ).because({ kind: 'unknown' });
}

/** The selected account of the tool's provider. Throws if it is not active. */
function usableAccount(run: ToolRun, tool: Tool, selection: AccountSelection): Account {
  const account = selectToolAccount(run.env, tool, selection);
  const { provider_key } = run.env.connections.get(account.connection_id);
  if (provider_key !== tool.provider) {
    const message = `connected account ${account.id} is of ${provider_key}, tool ${tool.definition.name} is of ${tool.provider}`;
    throw refused('invalid_argument', message);
  }
  refuseInactive(run, account);
  return account;
}

/** Unverified (tools/inactive-account): a tool call with an inactive account fails; the docs do not give the error. */
function refuseInactive(run: ToolRun, account: Account): void {
  if (account.status === 'ACTIVE') return;
  const code = `CONNECTED_ACCOUNT_${account.status}`;
  throw toolError(run, 'failed_precondition', code, notActive(account))
    .decidedBy('tools/inactive-account')
    .because({ kind: 'state', ...inactiveAccount(account) });
}

function selectToolAccount(env: Env, tool: Tool, selection: AccountSelection): Account {
  if (!selection.id && !selection.connector) return accountOfProvider(env, tool, selection);
  return selectedAccount(env, selection);
}

function selectedAccount(env: Env, selection: AccountSelection): Account {
  try {
    return usedAccount(env, selection);
  } catch (thrown) {
    throw thrown instanceof ApiError ? refused(thrown.failure, thrown.message).because(thrown.why) : thrown;
  }
}

/** An identifier or an owner alone is enough if only one connection of the tool's provider has such accounts. */
function accountOfProvider(env: Env, { provider, definition }: Tool, selection: AccountSelection): Account {
  const { connections, connected_accounts } = env;
  const isOfProvider = (account: Account) =>
    belongsTo(account, selection) && connections.get(account.connection_id).provider_key === provider;

  const fitting = connected_accounts.list(...narrowest(selection)).filter(isOfProvider);
  refuseSeveral(env, fitting);
  const found = preferredAccount(fitting);
  const wide = () =>
    connections
      .list()
      .filter(({ provider_key }) => provider_key === provider)
      .map((connection) => orgWideAccount(env, connection))
      .find((account) => account !== undefined);
  const chosen = found ?? wide();
  if (chosen) return chosen;
  throw refused('not_found', `connected account not found for tool ${definition.name}`).because({
    kind: 'unknown',
    noun: 'connected account',
    wanted: `of provider ${provider} that fits`,
  });
}

/**
 * Published programs quote the refusal of an identifier with accounts on several connections. Unverified
 * (tools/several-accounts): the status of an account makes no difference.
 */
function refuseSeveral(env: Env, accounts: readonly Account[]): void {
  const connections = new Set(accounts.map(({ connection_id }) => connection_id));
  if (connections.size < 2) return;
  const named = accounts
    .slice(0, MOST_NAMED)
    .map(({ id, connection_id }) => `${id} on ${env.connections.get(connection_id).key_id ?? connection_id}`);
  const more = accounts.length > MOST_NAMED ? ` and ${accounts.length - MOST_NAMED} more` : '';
  throw refused(
    'invalid_argument',
    `multiple connected accounts found: ${named.join(', ')}${more}; give connector or connected_account_id`,
  ).decidedBy('tools/several-accounts');
}

const MOST_NAMED = 10;

function narrowest({ identifier, user_id, organization_id }: AccountSelection): [string, string] {
  if (identifier) return ['identifier', identifier];
  if (user_id) return ['user_id', user_id];
  if (organization_id) return ['organization_id', organization_id];
  const message = 'give connected_account_id, or connector and identifier: no account is selected';
  throw refused('invalid_argument', message);
}

/**
 * Validates the params against the tool's input schema. Unverified (tools/unnamed-params): params that it does not name
 * are ignored.
 */
function checkedParams(env: Env, { definition }: Tool, params: unknown): Params {
  if (!isObject(params)) throw invalidParams(['params must be object']);
  const { complaints, missing, unknown } = env.schemas.check(
    definition.input_schema,
    params,
    definition.name,
  );
  if (env.isStrict && unknown.length > 0)
    throw invalidParams([...missing.map(lacking), ...complaints, ...unknown.map(notNamed)]);
  if (unknown.length > 0) {
    env.ignored(unknown);
    env.decidedBy('tools/unnamed-params');
  }
  if (missing.length > 0) throw missingParams(definition.name, missing, complaints);
  if (complaints.length > 0) throw invalidParams(complaints);
  return params;
}

const invalidParams = (complaints: readonly string[]) =>
  refused('invalid_argument', `tool validation failed: ${complaints.join('; ')}`);

const lacking = (name: string) => `params must have required property '${name}'`;

const notNamed = ({ field, name, known }: UnknownField) =>
  `${shortened(field)} is no param of the tool${suggestAmong(name, known())}`;

/** Params that the service puts into the path of the provider's call. */
const IN_PATH = /^(owner|repo|\w*[iI]d|\w*_number|\w*IdOrKey)$/;
/** Tools whose params the service writes into a message. */
const WRITES_MESSAGE = /^gmail_(create_draft|send_message|send_email|reply_to_thread)$/;

/**
 * Unverified (tools/missing-params): a report of live runs quotes the three texts, one tool each. Which one another tool
 * has is a guess.
 */
function missingParams(tool: string, missing: readonly string[], complaints: readonly string[]): ApiError {
  const texts = missing.map((name) => {
    if (IN_PATH.test(name)) return `path templating failed: missing value for "input.${name}"`;
    if (WRITES_MESSAGE.test(tool))
      return `tool execution failed - template rendering error: missing value for "input.${name}"`;
    return `missing or invalid ${name} parameter`;
  });
  const others = complaints.length > 0 ? [`tool validation failed: ${complaints.join('; ')}`] : [];
  return refused('invalid_argument', [...texts, ...others].join('; ')).decidedBy('tools/missing-params');
}

/**
 * The service refuses the call before the provider gets it, so the code is not `TOOL_ERROR`: the SDKs take that for a
 * failure of the provider. What the MCP server of the connection listed is kept.
 */
const refused = (failure: FailureName, message: string) =>
  new ApiError(failure, message, { writesStand: true, why: CONTRACT });

const CONTRACT: Cause = { kind: 'contract' };
const PROVIDER: Cause = { kind: 'provider' };

/** A failed run keeps its id; rolling it back would give the same id to the next run. */
function toolError(
  { execution_id }: ToolRun,
  failure: FailureName,
  tool_error_code: string,
  message: string,
) {
  return new ApiError(failure, message, {
    writesStand: true,
    tool: { execution_id, tool_error_code, tool_error_message: message },
  });
}

type ToolAnswer = NonNullable<Rows['tools']['answers']>[number];

/** The first of the tool's answers that fits the params, else its usual response. */
const chosenAnswer = (
  { answers = [], response }: Rows['tools'],
  params: Params,
): Pick<ToolAnswer, 'response' | 'error'> => answers.find(({ when }) => fits(when, params)) ?? { response };

function fits(wanted: unknown, given: unknown): boolean {
  if (!isObject(wanted) || !isObject(given)) return isDeepStrictEqual(wanted, given);
  return Object.entries(wanted).every(([name, value]) => fits(value, given[name]));
}
