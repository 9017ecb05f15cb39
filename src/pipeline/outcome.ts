import { createHash } from 'node:crypto';
import { statusAt, type Operation } from '../contract/compiled.ts';
import type { Contract, UncheckedInput } from '../contract/contract.ts';
import type { Environment } from '../environment/environment.ts';
import { isOvertaken } from '../store/until-stored.ts';
import type { Entry } from '../journal/entry.ts';
import type { Keys } from '../state/keys.ts';
import type { Committed } from '../state/units-of-work.ts';
import { ApiError } from '../contract/errors.ts';
import { Answer, CustomReply, Passthrough, Redirect, withQuery } from '../operations/handler.ts';
import { McpMessage } from '../operations/mcp-message.ts';
import { NO_ANSWER, type RuleReply } from '../scenarios/call-facts.ts';
import type { RuleOutcome } from '../scenarios/rule-outcome.ts';
import { header, preferred, written, type Call, type Reply, type WrittenReply } from './call.ts';
import { dialectBelow, DIALECTS, SECRET_HEADERS, type Dialect } from './dialects.ts';
import { warnings } from './read-request.ts';
import { isObject } from '@understudy/text/json';
import { withoutMiddle } from '@understudy/text/suggestion';

interface PerformedCall {
  call: Call;
  environment: Environment;
  entry: Entry;
  operation: Operation;
  request: UncheckedInput;
  script: RuleOutcome;
}

interface ReplyParts {
  readonly contract: Contract;
  readonly keys: Keys;
  readonly report: (message: string, cause: unknown) => void;
}

/** Serves the calls that a message for an MCP server makes. */
type Serve = (call: Call) => Promise<WrittenReply>;

interface PerformedReply {
  reply: Reply;
  outcome: RuleOutcome;
}

/** The reply to an operation that ran, once its changes are stored. Throws a failure whose writes are kept. */
export async function replyTo(
  committed: Committed<unknown>,
  performed: PerformedCall,
  parts: ReplyParts,
  serve: Serve,
): Promise<PerformedReply> {
  const { environment, entry, operation, script } = performed;
  const { result, changes, tokens, notes, rules, unknown } = committed;
  noteIssuer(performed, result);
  const storing = environment.kept();
  if (rules.length > 0) entry.rules = [...entry.rules, ...rules];
  if (unknown.length > 0) entry.unknown = [...entry.unknown, ...unknown];
  if (notes.length > 0) entry.notes = [...entry.notes, ...notes];
  if (changes.length > 0) entry.changes = [...(script.changes ?? []), ...changes];
  if (result instanceof Answer && result.note !== undefined) entry.notes = [...entry.notes, result.note];
  if (result instanceof CustomReply && result.status >= 400) entry.refusal = refusalIn(result);
  if (result instanceof ApiError) {
    await storing;
    throw result;
  }
  if (result instanceof McpMessage) return replyToMessage(result, performed, parts, serve);
  const signed = tokens.size > 0 ? await signTokens(committed, parts.keys) : result;
  const { status, headers, body } =
    signed instanceof CustomReply ? signed : { status: operation.status, headers: {}, body: signed };
  const reply = { status, headers, body };
  const sent = script.edit ? edited(reply, performed, parts.contract) : reply;
  if (storing) await storing;
  return { reply: sent, outcome: script };
}

/** The operation ran, but the scenario may change its reply. */
function edited(reply: Reply, { script, operation }: PerformedCall, contract: Contract): Reply {
  const patched = script.edit?.(reply);
  return patched ? conforming(patched, operation, contract) : reply;
}

function checkAnswer({ status, headers, body }: Reply, operation: Operation, contract: Contract): void {
  if (typeof body === 'string') contract.checkMediaType(operation, status, String(headers['content-type']));
  else contract.checkResponse(operation, status, body);
}

/** A message for an MCP server makes calls and changes of its own. */
async function replyToMessage(
  message: McpMessage,
  performed: PerformedCall,
  { contract }: ReplyParts,
  serve: Serve,
): Promise<PerformedReply> {
  const { environment, entry, operation, script, call } = performed;
  const storing = environment.kept();
  const asNobody = { caller: undefined, baseUrl: call.baseUrl };
  let hasSent = false;
  let breakage: WrittenReply['breakage'];
  let warned: WrittenReply['headers'] = {};
  const reply = await message.answer({
    call,
    version: contract.version,
    transact: (run) => {
      const { result, rules } = environment.transact(asNobody, run);
      if (rules.length > 0) entry.rules = [...entry.rules, ...rules];
      return result;
    },
    send: async (path, sent) => {
      await environment.kept(); // afterwards the message cannot run again
      hasSent = true;
      const answered = await serve(innerCall(path, sent, performed, contract));
      entry.calls = [...entry.calls, String(answered.headers['understudy-request-id'])];
      breakage = answered.breakage ?? breakage;
      const { 'understudy-warnings': warning } = answered.headers;
      if (warning !== undefined) warned = { 'understudy-warnings': warning };
      return answered;
    },
  });
  const { headers } = reply;
  checkAnswer(reply, operation, contract);
  const sent = edited({ ...reply, headers: { ...headers, ...warned } }, performed, contract);
  if (storing) await storing;
  await environment.kept()?.catch((thrown: unknown) => {
    // Only a time of use is lost.
    if (!hasSent || !isOvertaken(thrown)) throw thrown;
  });
  return { reply: sent, outcome: breakage ? { ...script, breakage } : script };
}

/** A call that the tool of an MCP server makes. It goes through the pipeline as every call does. */
const innerCall = (
  path: string,
  message: object,
  { call, environment, entry }: PerformedCall,
  contract: Contract,
): Call => ({
  protocol: 'mcp',
  method: 'POST',
  path,
  url: path,
  query: {},
  route: contract.router.route('POST', path),
  headers: {
    ...(call.headers['user-agent'] && { 'user-agent': call.headers['user-agent'] }),
    'understudy-environment': environment.name,
  },
  body: undefined,
  message,
  size: JSON.stringify(message).length,
  baseUrl: call.baseUrl,
  host: call.host,
  caller: { client_id: environment.credentials.client_id },
  madeBy: entry.id,
  ...(call.signal && { signal: call.signal }),
});

/** Checks a scripted reply against the contract unless its scenario allows a breach. */
export function conforming(canned: RuleReply, operation: Operation, contract: Contract): Reply {
  const { headers, body } = canned;
  if (canned.outsideContract)
    return { status: canned.status, headers: { ...headers, 'understudy-contract': 'violated' }, body };
  const status = statusAt(operation, canned.status);
  contract.checkResponse(operation, status, body);
  return { status, headers, body };
}

/** Replaces placeholders by signed tokens: in members of the result, or in the query of a redirect. */
async function signTokens({ result, tokens }: Committed<unknown>, keys: Keys): Promise<unknown> {
  const signed = new Map<unknown, string>();
  for (const [placeholder, { key, claims, hashes }] of tokens) {
    const added = Object.entries(hashes).map(([name, text]) => [name, halfHash(signed.get(text) ?? text)]);
    signed.set(placeholder, await keys.sign({ ...claims, ...Object.fromEntries(added) }, key));
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

interface Exchange {
  call: Call;
  /** Absent if no operation was found. */
  operation: Operation | undefined;
  entry: Entry;
  environment: Environment;
}

/** The reply for a failure, checked against the contract like every reply. */
export async function failure(
  error: ApiError,
  { call, operation, entry, environment: { name: environment } }: Exchange,
  { contract, report }: Omit<ReplyParts, 'keys'>,
): Promise<Reply> {
  const { violations, cause } = error.parts;
  if (error.rule && !entry.rules.includes(error.rule)) entry.rules = [...entry.rules, error.rule];
  if (violations) entry.violations = violations;
  entry.refusal = refusalOf(error);
  if (error.failure === 'contract_violation') entry.response = error.message;
  if (cause !== undefined) {
    entry.cause = cause;
    report(`${call.method} ${call.path}`, cause);
  }
  const { errorBody, errorPage } = dialectOf({ call, operation });
  const pageFor = asksForJson(call) ? undefined : errorPage;
  const write = async (refusal: ApiError): Promise<Reply> => {
    const page = await pageFor?.(refusal, { environment, id: entry.id });
    const headers = { ...refusal.parts.headers, ...page?.headers };
    return { status: refusal.status, headers, body: page?.markup ?? errorBody(refusal) };
  };
  const reply = await write(error);
  if (!operation) return reply;
  if (pageFor) entry.notes = [...entry.notes, `the page says: ${error.message}`];
  try {
    if (pageFor) contract.checkMediaType(operation, reply.status, 'text/html');
    else contract.checkResponse(operation, reply.status, reply.body);
    return reply;
  } catch (broken) {
    entry.response = ApiError.from(broken).message;
    return write(ApiError.from(broken));
  }
}

const LONGEST_REASON = 1000;

/** The refusal of a page, or of a provider. The journal reads the words of other pages when somebody asks. */
function refusalIn(reply: CustomReply): Entry['refusal'] {
  if (reply.refusal) return refusalOf(reply.refusal);
  if (!(reply instanceof Passthrough)) return undefined;
  return { message: `the provider answered ${reply.status}`, why: { kind: 'provider' } };
}

const refusalOf = ({ message, why }: ApiError) => ({ message: withoutMiddle(message, LONGEST_REASON), why });

/** An unknown address below a surface gets its errors. Whoever opens another one in a browser gets a page. */
const dialectOf = ({ call, operation }: Pick<Exchange, 'call' | 'operation'>): Dialect =>
  operation
    ? DIALECTS[operation.dialect]
    : (dialectBelow(call.path) ?? DIALECTS[isBrowser(call) ? 'page' : 'service']);

function asksForJson(call: Call): boolean {
  const accept = header(call, 'accept');
  return accept !== undefined && preferred(accept) === 'json';
}

/** Whether a person opened the address in a browser. */
const isBrowser = (call: Call) =>
  (call.method === 'GET' || call.method === 'HEAD') && preferred(header(call, 'accept') ?? '*/*') === 'html';

/** The reply that is sent. If a scenario breaks it off, the journal still has the whole reply. */
export function answer(
  { call, environment, entry, operation }: Exchange,
  { fault, breakage }: RuleOutcome,
  reply: Reply,
): WrittenReply {
  if (fault) entry.fault = fault;
  if (breakage?.kind === 'silence') return entry.close({ ...written(NO_ANSWER), breakage });
  const date = environment.clock.httpDate();
  const { mediaType, headers: ofDialect } = dialectOf({ call, operation });
  const headers = {
    ...(date && { date }),
    ...(mediaType && reply.body !== undefined && { 'content-type': mediaType }),
    ...ofDialect,
    ...(operation?.uncached && SECRET_HEADERS),
    ...reply.headers,
    ...warnings(entry),
    'understudy-request-id': entry.id,
  };
  const answered = written({ status: reply.status, headers, body: reply.body });
  if (breakage) answered.breakage = breakage;
  return entry.close(answered);
}

interface AnsweredCall {
  call: Call;
  environment: Pick<Environment, 'addresses'>;
  entry: Entry;
  operation: Operation;
  request: { body: unknown };
}

/**
 * Notes in the journal that tokens were issued at one address of Understudy and the keys fetched at another. A program
 * that expects the address it calls as issuer refuses such tokens, often without a reason, and no call shows that.
 */
function noteIssuer(answered: AnsweredCall, result: unknown): void {
  const { call, environment, entry, operation, request } = answered;
  if (result instanceof ApiError) return;
  const { addresses } = environment;
  if (operation.base === 'OAuth_Keys') addresses.keys = call.baseUrl;
  else if (operation.base === 'OAuth_Token' && !isOwn(request.body)) addresses.issuer = call.baseUrl;
  else return;
  const { issuer, keys } = addresses;
  if (issuer !== undefined && keys !== undefined && issuer !== keys)
    entry.notes = [...entry.notes, differing(issuer, keys)];
}

/** SDKs get a token for themselves wherever they call. They do not verify it. */
const isOwn = (form: unknown): boolean => isObject(form) && form['grant_type'] === 'client_credentials';

const differing = (issuer: string, keys: string) =>
  `the latest tokens have the issuer ${issuer}, and the keys were fetched at ${keys}: a program that expects ` +
  `${keys} as issuer refuses these tokens. Use one address everywhere, also in copied metadata, or set --base-url`;
