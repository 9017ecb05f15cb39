import { ConnectionError, ControlError } from '@understudy/client/control';
import type { ShownTool, ToolCallError, ToolResult, ToolServer } from '@understudy/mcp/protocol';
import { suggestAmong, shortened } from '@understudy/text/suggestion';
import { ToolError } from './service-address.ts';
import { readArguments } from './arguments.ts';
import { INSTRUCTIONS, listPrompts, promptText } from './prompts.ts';
import { apiOf } from './operation-search.ts';
import { listResources, readResource, RESOURCE_TEMPLATES, type ResourceSource } from './resources.ts';
import { inputSchema, shownSchema, type ApiDocument } from './schemas.ts';
import { ToolContext, type ServiceAccess } from './service.ts';
import type { AgentTool, Schema } from './tool.ts';
import { callTools } from './tools/calls.ts';
import { clockTools } from './tools/clock.ts';
import { environmentTools } from './tools/environment-tools.ts';
import { messageTools } from './tools/messages.ts';
import { operationTools } from './tools/operations.ts';
import { rowTools } from './tools/rows.ts';
import { scenarioTools } from './tools/scenarios.ts';
import { serviceTools } from './tools/service.ts';

export { AccessTokens } from './access-tokens.ts';
export { ToolError } from './service-address.ts';

const TOOLS: readonly AgentTool[] = [
  ...serviceTools,
  ...callTools,
  ...scenarioTools,
  ...clockTools,
  ...operationTools,
  ...rowTools,
  ...messageTools,
  ...environmentTools,
];

const INVALID_PARAMS = -32602;
const RESOURCE_NOT_FOUND = -32002;

/** What coding agents can do with the simulator: tools over the control API, resources and prompts. */
export function createAgentServer(access: ServiceAccess): ToolServer {
  const tools = offeredTools(access);
  return {
    name: 'understudy',
    title: 'Understudy, a simulator of the Scalekit API',
    version: access.version,
    instructions: INSTRUCTIONS,
    tools: tools.map(({ shown }) => shown),
    call: (name, args, signal) => callTool({ name, args, signal }, tools, access),
    resources: {
      templates: RESOURCE_TEMPLATES,
      list: (signal) => listResources(sourceOf(access, signal)),
      read: (uri, signal) => refusing(RESOURCE_NOT_FOUND, () => readResource(uri, sourceOf(access, signal))),
    },
    prompts: {
      list: listPrompts(),
      text: (name, args) => refusing(INVALID_PARAMS, async () => promptText(name, args)),
    },
  };
}

interface OfferedTool {
  shown: ShownTool;
  /** What the arguments are checked with. */
  schema: Schema;
}

const OFFERED = new WeakMap<ApiDocument, OfferedTool[]>();

/** The document of the control API describes many arguments. Both never change. */
function offeredTools({ documents }: ServiceAccess): OfferedTool[] {
  const control = apiOf(documents.control());
  const known = OFFERED.get(control) ?? TOOLS.map((each) => offered(each, control));
  OFFERED.set(control, known);
  return known;
}

function offered(tool: AgentTool, control: ApiDocument): OfferedTool {
  const { name, description, hints: annotations } = tool;
  const schema = inputSchema(tool, control);
  return { shown: { name, description, inputSchema: shownSchema(schema), annotations }, schema };
}

async function contextOf(
  access: ServiceAccess,
  signal: AbortSignal,
  environment = access.environment,
): Promise<ToolContext> {
  return new ToolContext(access, await access.connect(), environment, signal);
}

const sourceOf = (access: ServiceAccess, signal: AbortSignal): ResourceSource => ({
  documents: access.documents,
  context: () => contextOf(access, signal),
});

interface ToolCall {
  name: string;
  args: Record<string, unknown>;
  signal: AbortSignal;
}

async function callTool(
  { name, args, signal }: ToolCall,
  offered: readonly OfferedTool[],
  access: ServiceAccess,
): Promise<ToolResult | ToolCallError> {
  const at = TOOLS.findIndex((each) => each.name === name);
  const names = TOOLS.map((each) => each.name);
  if (at < 0)
    return {
      refused: {
        code: INVALID_PARAMS,
        message: `Unknown tool: ${shortened(name)}${suggestAmong(name, names)}`,
      },
    };
  try {
    const { environment, ...own } = readArguments(name, offered[at]!.schema, args);
    const context = await contextOf(access, signal, environment as string | undefined);
    const { text, data } = await TOOLS[at]!.run(own, context);
    return { content: [{ type: 'text', text }], structuredContent: data };
  } catch (thrown) {
    return { content: [{ type: 'text', text: messageFor(thrown) }], isError: true };
  }
}

/** A failure that the agent can mend becomes an error of the protocol. */
async function refusing<T>(code: number, run: () => Promise<T>): Promise<T | ToolCallError> {
  try {
    return await run();
  } catch (thrown) {
    return { refused: { code, message: messageFor(thrown) } };
  }
}

/** The line of a ControlError that names the call of the control API, which the agent did not make. */
const PLACE = /\n {2}\(\d{3} .*\)$/;
/** The heading of a list of fields, which say more. */
const HEADING = /^Validation error\n {2}/;

/** The message of a failure, for the agent. An error that has no message for agents is thrown again. */
function messageFor(thrown: unknown): string {
  if (thrown instanceof ControlError) return thrown.message.replace(PLACE, '').replace(HEADING, '');
  if (thrown instanceof ToolError || thrown instanceof ConnectionError) return thrown.message;
  throw thrown;
}
