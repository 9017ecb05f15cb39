import type { ToolCallError, ToolResult } from '@understudy/mcp/protocol';
import { FAILURES, type FieldViolation } from '@understudy/core/contract/errors';
import { insertAccount } from '../accounts/account-creation.ts';
import type { AccountSelection } from '../accounts/account-selection.ts';
import type { MessageContext } from '@understudy/core/operations/mcp-message';
import type { McpServer, ServedTool } from './mcp-server.ts';
import { isObject, plainText } from '@understudy/text/json';
import { shortened } from '@understudy/text/suggestion';

interface ToolCallContext extends Pick<MessageContext, 'transact' | 'send'> {
  server: McpServer;
}

const INVALID_PARAMS = -32602;
const INTERNAL_ERROR = -32603;

/** What the contract allows as `connector`. */
const CONNECTOR = /^[a-zA-Z0-9_: -]{1,400}$/;

/** The calls to the service that the tools of one message make. They go through the pipeline as every call does. */
export class ToolCalls {
  readonly #context: ToolCallContext;

  constructor(context: ToolCallContext) {
    this.#context = context;
  }

  /** Runs a tool with the user's account. */
  async run(name: string, params: Record<string, unknown>): Promise<ToolResult | ToolCallError> {
    const { server } = this.#context;
    const tool = server.tools.find(({ shown }) => shown.name === name);
    if (!tool) return { refused: { code: INVALID_PARAMS, message: `Unknown tool: ${shortened(name)}` } };
    const selection = this.#selectionFor(tool);
    const { id: connected_account_id, ...named } = selection;
    const { status, body } = await this.#send('/api/v1/execute_tool', {
      tool_name: name,
      params,
      ...named,
      ...(connected_account_id && { connected_account_id }),
    });
    if (status >= 400) return this.#failed(tool, selection, body);
    const { data, execution_id } = body as { data: Record<string, unknown>; execution_id: string };
    this.#markUsed();
    const { resultIn } = await import('@understudy/mcp/protocol');
    const result = resultIn(data) ?? asText(data);
    // A tool with an output schema must answer with structured content.
    const needsStructure = tool.shown.outputSchema && !result.structuredContent;
    return { ...result, ...(needsStructure && { structuredContent: data }), _meta: { execution_id } };
  }

  /**
   * How the call names the user's account. Connections may have names that the contract of these calls refuses, such as
   * `crm.eu`; then the id selects the account, which is created if it is missing.
   */
  #selectionFor({ connector, connected_account_id: known }: ServedTool): AccountSelection {
    const { identifier } = this.#context.server;
    if (CONNECTOR.test(connector)) return { connector, identifier, ...(known && { id: known }) };
    return { id: known ?? this.#createAccount(connector), identifier };
  }

  #createAccount(connector: string): string {
    const { transact, server } = this.#context;
    const { identifier } = server;
    return transact((env) => insertAccount(env, { connector, identifier }, {})).id;
  }

  /** The failure of a tool is for the model to read. Any other failure is an error of the protocol. */
  async #failed(
    tool: ServedTool,
    selection: AccountSelection,
    body: unknown,
  ): Promise<ToolResult | ToolCallError> {
    const failure = failureIn(body);
    if (!isForModel(failure)) return protocolError(failure);
    const { message, meta } = failure;
    const link = needsAccount(tool, failure) ? await this.#link(selection) : undefined;
    const hint = link === undefined ? '' : `\nTo authorize ${tool.connector}, open ${link}`;
    return {
      content: [{ type: 'text', text: `${message}${hint}` }],
      isError: true,
      _meta: { ...meta, ...(link && { authentication_link: link }) },
    };
  }

  /** Creates the account if it is missing. */
  async #link(selection: AccountSelection): Promise<string | undefined> {
    const { id, ...named } = selection;
    const path = '/api/v1/connected_accounts/magic_link';
    const { status, body } = await this.#send(path, named.connector ? named : { id });
    return status < 400 && isObject(body) ? String(body['link']) : undefined;
  }

  async #send(path: string, message: object): ReturnType<MessageContext['send']> {
    const reply = await this.#context.send(path, message);
    return { ...reply, status: reply.status || NO_ANSWER };
  }

  #markUsed(): void {
    const { transact, server } = this.#context;
    const { instance_id } = server;
    if (instance_id === undefined) return;
    transact((env) => {
      if (!env.mcp_instances.find(instance_id)) return;
      env.trace(() => env.mcp_instances.update(instance_id, { last_used_at: env.clock.iso() }));
    });
  }
}

const asText = (data: Record<string, unknown>): ToolResult => ({
  content: [{ type: 'text', text: JSON.stringify(data) }],
  structuredContent: data,
});

/** The status of a call that a scenario leaves without an answer. */
const NO_ANSWER = 503;

interface InnerFailure {
  code?: unknown;
  message: string;
  /** What the result says of the failure. A refusal by the service has no execution id. */
  meta: { execution_id?: unknown; tool_error_code?: string; error_code?: unknown };
  violations?: readonly FieldViolation[];
}

const NOT_FOUND = FAILURES.not_found.errorCode;
const REFUSALS: readonly unknown[] = [NOT_FOUND, FAILURES.invalid_argument.errorCode];

/** Whether the failure is a result that the model reads: the tool failed, or the service refused its params or found no account. */
const isForModel = ({ meta, violations }: InnerFailure): boolean =>
  meta.tool_error_code !== undefined || (violations === undefined && REFUSALS.includes(meta.error_code));

/** Whether the user has no account, or one that is not active. */
const needsAccount = ({ connected_account_id }: ServedTool, { meta }: InnerFailure): boolean =>
  meta.tool_error_code?.startsWith('CONNECTED_ACCOUNT_') ??
  (connected_account_id === undefined && meta.error_code === NOT_FOUND);

const protocolError = ({ code, message, violations }: InnerFailure): ToolCallError => ({
  refused: {
    code: violations ? INVALID_PARAMS : INTERNAL_ERROR,
    message: [message, ...(violations ?? []).map(lineOf)].join('\n'),
    data: { code, ...(violations && { violations }) },
  },
});

const lineOf = ({ field, description }: FieldViolation) => `${field}: ${description}`;

/** The parts of the service's error envelope. */
function failureIn(body: unknown): InnerFailure {
  if (!isObject(body)) return { message: 'the service gave no answer', meta: {} };
  const { code, message, details } = body;
  const [detail] = Array.isArray(details) ? (details as unknown[]) : [];
  const { error_code, tool_error_info: info, validation_error_info: broken } = isObject(detail) ? detail : {};
  const violations = isObject(broken) ? (broken['field_violations'] as FieldViolation[]) : undefined;
  const meta = isObject(info)
    ? { execution_id: info['execution_id'], tool_error_code: plainText(info['tool_error_code']) }
    : { error_code };
  return { code, message: String(message), meta, ...(violations && { violations }) };
}
