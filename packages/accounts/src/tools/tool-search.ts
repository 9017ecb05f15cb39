import type { Rows } from '@understudy/core/state/env';
import type { Env } from '@understudy/core/state/env';
import { wordsOf } from '@understudy/text/name-words';
import { preferredAccount } from '../accounts/account-selection.ts';
import type { Operations } from '@understudy/core/operations/handler';
import { canRun } from './tool-lists.ts';

type Account = Rows['connected_accounts'];
type Connection = Rows['connections'];
type Tool = Rows['tools'];

/** As in the descriptors of the Python SDK. */
const USUAL_COUNT = 10;
const LARGEST_COUNT = 50;

/** Unverified (tools/search-asks-nobody): a search asks no MCP server. It finds what was listed before. */
export const toolSearch = {
  ToolService_SearchTools({ body }, env) {
    const { query, identifier, top_k } = body;
    env.decidedBy('tools/search-ranking');
    const found = ranked(candidates(env), query).slice(0, Math.min(top_k || USUAL_COUNT, LARGEST_COUNT));
    const accounts = identifier ? env.connected_accounts.list('identifier', identifier) : [];
    return {
      tools: found.map(({ tool, score }) => ({
        name: tool.definition.name,
        provider: tool.provider,
        description: tool.definition.description,
        score,
        connections: readinessOf(env, tool, accounts),
      })),
    };
  },
} satisfies Partial<Operations>;

/** The tools of every enabled connection. */
function candidates(env: Env): Tool[] {
  const enabled = env.connections.list().filter((connection) => connection.enabled);
  const providers = [...new Set(enabled.map(({ provider_key }) => provider_key))];
  return providers.flatMap((provider) => {
    const connections = enabled.filter(({ provider_key }) => provider_key === provider);
    const isReached = (tool: Tool) => connections.some((each) => canRun(each, tool));
    return env.tools.list('provider', provider).filter(isReached);
  });
}

interface RankedTool {
  tool: Tool;
  score: number;
}

/** What a word of the query counts where it is found. */
const IN_NAME = 1;
const IN_PROVIDER = 0.75;
const IN_DESCRIPTION = 0.5;

/**
 * Unverified (tools/search-ranking): the service ranks by name, description and provider, and nobody says how. Here a
 * tool without any word of the query is not found, and 1 means that its name has all of them.
 */
function ranked(tools: readonly Tool[], query: string): RankedTool[] {
  const wanted = [...new Set(wordsOf(query))];
  const scored = tools.map((tool) => ({ tool, score: scoreOf(tool, wanted) }));
  const found = scored.filter(({ score }) => score > 0);
  return found.toSorted((a, b) => b.score - a.score || compare(a.tool, b.tool));
}

function scoreOf(tool: Tool, wanted: readonly string[]): number {
  const name = new Set(wordsOf(tool.definition.name));
  const provider = new Set(wordsOf(tool.provider));
  const description = new Set(wordsOf(tool.definition.description));
  const points = wanted.map((word) => {
    if (name.has(word)) return IN_NAME;
    if (provider.has(word)) return IN_PROVIDER;
    return description.has(word) ? IN_DESCRIPTION : 0;
  });
  const sum = points.reduce<number>((total, each) => total + each, 0);
  return wanted.length === 0 ? 0 : Math.round((100 * sum) / wanted.length) / 100;
}

const compare = (a: Tool, b: Tool) => (a.definition.name < b.definition.name ? -1 : 1);

/** One entry for each connection on which the identifier has an account. */
function readinessOf(env: Env, tool: Tool, accounts: readonly Account[]) {
  return [...new Set(accounts.map(({ connection_id }) => connection_id))].flatMap((id) => {
    const connection = env.connections.get(id);
    if (!connection.enabled || !canRun(connection, tool)) return [];
    const account = preferredAccount(accounts.filter(({ connection_id }) => connection_id === id));
    return account ? [entryOf(env, connection, account)] : [];
  });
}

const entryOf = (env: Env, { key_id = '' }: Connection, account: Account) => ({
  connection_name: key_id,
  connected_account_id: account.id,
  readiness_state: `TOOL_READINESS_STATE_${stateOf(env, account)}` as const,
});

/** An expired access token that can be refreshed is as good as a new one. */
function stateOf(env: Env, { status, token_expires_at, refresh_fails }: Account) {
  const isStale = refresh_fails && token_expires_at !== undefined && env.clock.isPast(token_expires_at);
  if (status === 'EXPIRED' || (status === 'ACTIVE' && isStale)) return 'NEEDS_REAUTH';
  return status === 'ACTIVE' ? 'READY' : 'NEEDS_CONNECTION';
}
