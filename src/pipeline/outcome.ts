import { createHash } from 'node:crypto';
import { statusAt, type Operation } from '../contract/compiled.ts';
import type { Contract } from '../contract/contract.ts';
import type { Environment } from '../environment/environment.ts';
import type { Entry } from '../environment/journal/entry.ts';
import type { Keys } from '../environment/keys.ts';
import type { Committed } from '../environment/unit-of-work.ts';
import { ApiError, type ErrorShape } from '../errors.ts';
import { CustomReply, Redirect, withQuery } from '../operations/custom-reply.ts';
import { McpMessage } from '../operations/mcp/message.ts';
import type { FailedCall } from '../pages/error-page.ts';
import type { RuleReply } from '../scenarios/call-facts.ts';
import type { Breakage } from '../scenarios/faults.ts';
import type { RuleOutcome } from '../scenarios/rule-outcome.ts';
import { header, preferred, type Call, type Reply, type WrittenReply } from './call.ts';

interface PerformedCall {
  call: Call;
  environment: Environment;
  entry: Entry;
  operation: Operation;
  script: RuleOutcome;
  contract: Contract;
  keys: Keys;
}

/** Serves the calls that a message for an MCP server makes. */
type Serve = (call: Call) => Promise<WrittenReply>;

/** The reply to an operation that ran, once its changes are stored. */
export async function replyTo(
  committed: Committed<unknown>,
  performed: PerformedCall,
  serve: Serve,
): Promise<{ reply: Reply; outcome: RuleOutcome }> {
  const { environment, entry, operation, script, contract } = performed;
  const storing = environment.kept();
  if (committed.changes.length > 0)
    entry.note({ changes: [...(script.changes ?? []), ...committed.changes] });
  const { reply, breakage } = await finish(committed, performed, serve);
  const edited = script.edit?.(reply); // the operation ran, but the scenario changes its reply
  const told = edited ? conforming(edited, operation, contract) : reply;
  if (storing) await storing;
  // A message for an MCP server has made calls and changes of its own meanwhile.
  if (committed.result instanceof McpMessage) await environment.kept();
  return { reply: told, outcome: breakage ? { ...script, breakage } : script };
}

/** Checks a scripted reply against the contract unless its scenario allows a breach. */
export function conforming(canned: RuleReply, operation: Operation, contract: Contract): Reply {
  const { headers, body } = canned;
  if (canned.outsideContract)
    return { status: canned.status, headers: { ...headers, 'understudy-contract': 'violated' }, body };
  const status = statusAt(operation, canned.status);
  contract.checkResponse(operation, status, body);
  return { status, headers, body };
}

/** What follows the unit of work: tokens are signed, and a message for an MCP server makes calls of its own. */
async function finish(
  committed: Committed<unknown>,
  performed: PerformedCall,
  serve: Serve,
): Promise<{ reply: Reply; breakage?: Breakage }> {
  const { operation, contract, keys } = performed;
  if (!(committed.result instanceof McpMessage)) return { reply: await replyOf(committed, operation, keys) };
  const { answerMcp } = await import('./mcp-message.ts');
  const answered = await answerMcp(committed.result, { ...performed, serve });
  contract.checkResponse(operation, answered.reply.status, answered.reply.body);
  return answered;
}

/** The reply of a successful call. Throws a failure whose writes are kept. */
async function replyOf(committed: Committed<unknown>, operation: Operation, keys: Keys): Promise<Reply> {
  const { result } = committed;
  if (result instanceof ApiError) throw result;
  const signed = await signTokens(committed, keys);
  if (!(result instanceof CustomReply)) return { status: operation.status, headers: {}, body: signed };
  const { status, headers, body } = signed as CustomReply;
  return { status, headers, body };
}

/** Replaces placeholders by signed tokens: in members of the result, or in the query of a redirect. */
export async function signTokens({ result, tokens }: Committed<unknown>, keys: Keys): Promise<unknown> {
  if (tokens.size === 0) return result;
  const signed = new Map<unknown, string>();
  for (const [placeholder, { claims, hashes }] of tokens) {
    const added = Object.entries(hashes).map(([name, text]) => [name, halfHash(signed.get(text) ?? text)]);
    signed.set(placeholder, await keys.sign({ ...claims, ...Object.fromEntries(added) }));
  }
  if (result instanceof Redirect) return withTokens(result, (text) => signed.get(text) ?? text);
  if (result instanceof CustomReply) return result;
  return Object.fromEntries(
    Object.entries(result as Record<string, unknown>).map(([name, value]) => [
      name,
      signed.get(value) ?? value,
    ]),
  );
}

function withTokens({ status, headers, tokens }: Redirect, sign: (text: string) => string): CustomReply {
  const named = Object.entries(tokens).map(([name, placeholder]) => [name, sign(placeholder)]);
  const location = withQuery(String(headers['location']), Object.fromEntries(named));
  return new CustomReply(status, { ...headers, location });
}

/** The value of `at_hash` and `c_hash` for RS256 (OpenID Connect Core 3.1.3.6). */
const halfHash = (text: string) =>
  createHash('sha256').update(text).digest().subarray(0, 16).toString('base64url');

interface Promises {
  readonly contract: Contract;
  readonly report: (message: string, cause: unknown) => void;
}

interface FailedExchange {
  operation?: Operation;
  entry: Entry;
  environment: { readonly name: string };
}

/** The reply for a failure, checked against the contract like every reply. */
export async function failure(
  error: ApiError,
  call: Call,
  { contract, report }: Promises,
  { operation, entry, environment: { name: environment } }: FailedExchange,
): Promise<Reply> {
  const { violations, cause } = error.parts;
  if (violations) entry.note({ violations });
  if (error.failure === 'contract_violation') entry.note({ response: error.message });
  if (cause !== undefined) {
    entry.note({ cause });
    report(`${call.method} ${call.path}`, cause);
  }
  const failedCall = { environment, id: entry.id };
  if (!operation) return failed(error, isBrowser(call) ? 'page' : 'envelope', failedCall);
  const reply = await failed(error, operation.errorShape, failedCall);
  try {
    check(reply, operation, contract);
    return reply;
  } catch (broken) {
    entry.note({ response: ApiError.from(broken).message });
    return failed(ApiError.from(broken), operation.errorShape, failedCall);
  }
}

/** Whether a person opened the address in a browser. */
const isBrowser = (call: Call) =>
  (call.method === 'GET' || call.method === 'HEAD') && preferred(header(call, 'accept') ?? '*/*') === 'html';

async function failed(error: ApiError, shape: ErrorShape, call: FailedCall): Promise<Reply> {
  const { status } = error;
  const headers = { ...error.parts.headers };
  if (shape !== 'page') return { status, headers, body: error.body(shape) };
  const { errorPage } = await import('../pages/error-page.ts');
  const page = errorPage(error, call);
  return { status, headers: { ...headers, ...page.headers }, body: page.markup };
}

function check({ status, body }: Reply, operation: Operation, contract: Contract): void {
  if (operation.errorShape === 'page') contract.checkMediaType(operation, status, 'text/html');
  else contract.checkResponse(operation, status, body);
}
