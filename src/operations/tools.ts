import { ApiError, type FailureName } from '../errors.ts';
import type { Rows } from '../world/schema.ts';
import { refreshable } from '../world/schema.ts';
import type { World } from '../world/world.ts';
import { belongs, preferred, selectAccount, type Selection } from './account-selection.ts';
import type { Operations } from './handler.ts';
import { fillTemplate } from './tool-response.ts';

type Account = Rows['connected_accounts'];
type Tool = Rows['tools'];

const HOUR = 3_600_000;

export const tools = {
  ToolService_ExecuteTool({ body }, world) {
    const execution_id = world.draw.id('exec');
    const tool = findTool(world, execution_id, body.tool_name);
    const account = usableAccount(world, execution_id, tool, { ...body, id: body.connected_account_id });
    const params = body.params ?? {};
    const [complaint] = world.schemas.complaints(tool.definition.input_schema, params);
    if (complaint)
      throw toolError(
        'invalid_argument',
        execution_id,
        'INVALID_PARAMS',
        `tool validation failed: ${complaint}`,
      );

    use(world, account);
    return { data: fillTemplate(tool.response ?? {}, params, world), execution_id };
  },
} satisfies Partial<Operations>;

function findTool(world: World, execution: string, name: string | undefined): Tool {
  if (!name) throw toolError('invalid_argument', execution, 'TOOL_NAME_MISSING', 'tool name is required');
  const tool = world.tools.findBy('name', name);
  if (!tool) throw toolError('not_found', execution, 'TOOL_NOT_FOUND', `tool not found: ${name}`);
  return tool;
}

/** The caller's account with the tool's provider. An identifier alone is enough: the tool says which connector. */
function usableAccount(world: World, execution: string, tool: Tool, selection: Selection): Account {
  const account =
    selection.id || selection.connector
      ? select(world, execution, selection)
      : ofProvider(world, tool, selection);
  if (!account)
    throw toolError(
      'not_found',
      execution,
      'CONNECTED_ACCOUNT_NOT_FOUND',
      `connected account not found for tool ${tool.definition.name}`,
    );
  const { provider_key } = world.connections.get(account.connection_id);
  if (provider_key !== tool.provider) {
    const message = `connected account ${account.id} is of ${provider_key}, tool ${tool.definition.name} is of ${tool.provider}`;
    throw toolError('invalid_argument', execution, 'CONNECTOR_MISMATCH', message);
  }
  // Unverified: a tool call with an account that is not active fails; the service does not document how.
  if (account.status === 'ACTIVE') return account;
  const message = `connected account ${account.id} is ${account.status}, not ACTIVE: the user has to authorize it`;
  throw toolError('failed_precondition', execution, `CONNECTED_ACCOUNT_${account.status}`, message);
}

/** Every failure of a tool call is a tool error, also that its account is not there. */
function select(world: World, execution: string, selection: Selection): Account {
  try {
    return selectAccount(world, selection);
  } catch (thrown) {
    const { failure, message } = ApiError.from(thrown);
    const code = failure === 'not_found' ? 'CONNECTED_ACCOUNT_NOT_FOUND' : 'INVALID_SELECTION';
    throw toolError(failure, execution, code, message);
  }
}

function ofProvider(world: World, tool: Tool, selection: Selection): Account | undefined {
  const { identifier } = selection;
  const accounts = identifier
    ? world.connected_accounts.list('identifier', identifier)
    : world.connected_accounts.list();
  return preferred(
    accounts.filter(
      (account) =>
        belongs(account, selection) &&
        world.connections.get(account.connection_id).provider_key === tool.provider,
    ),
  );
}

/** An access token that ran out is renewed on the way, where the account has a refresh token. */
function use(world: World, account: Account): void {
  const { token_expires_at, authorization_details } = account;
  const token = authorization_details?.oauth_token;
  const stale =
    token_expires_at !== undefined && world.clock.isPast(token_expires_at) && refreshable(account);
  const renewed = token && { oauth_token: { ...token, access_token: `at_${world.draw.text(32)}` } };
  world.connected_accounts.update(account.id, {
    last_used_at: world.clock.iso(),
    ...(stale && renewed && { authorization_details: renewed, token_expires_at: world.clock.after(HOUR) }),
  });
}

function toolError(failure: FailureName, execution_id: string, tool_error_code: string, message: string) {
  return new ApiError(failure, message, {
    tool: { execution_id, tool_error_code, tool_error_message: message },
  });
}
