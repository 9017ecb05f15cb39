import { ApiError } from '../contract/errors.ts';
import { Redaction } from '../journal/redaction.ts';
import type { Call, WrittenReply } from '../pipeline/call.ts';
import { given, isObject, jsonIn, plainText } from '@understudy/text/json';
import type { Remedy } from '../why/answer.ts';
import { tokenRemedy } from '../why/credentials.ts';
import { remediesFor, type SendAgain } from '../why/remedies.ts';
import { codeOf, TOKEN_PATH, type RemedyCall } from '../why/remedy-code.ts';
import { explain } from '../why/why.ts';
import type { ControlContext, ControlOperations, OwnCall } from './handler.ts';
import { placeOf, REQUESTS } from './requests.ts';

export const remedies = {
  Control_ListRemedies({ path }, context) {
    const { environment, baseUrl: url } = context;
    const { redacts } = environment.journal;
    const found = remediesOf(path.id, context).map((remedy, at) => {
      const { text, method, path: to, body, environment: other } = redacts ? redacted(remedy) : remedy;
      const sent =
        'again' in remedy
          ? sentAgain(remedy, redacts)
          : { path: to, body, ...(isOfService(to) && { authorization: 'Bearer <access token>' }) };
      const code = codeOf(
        { text, method, ...sent, ...given({ environment: other }) },
        { url, environment: environment.name, call: path.id, number: at + 1 },
      );
      return { number: at + 1, text, method, path: to, ...given({ body, environment: other }), code };
    });
    return { call: path.id, remedies: found };
  },

  async Control_ApplyRemedy({ path }, context) {
    const all = remediesOf(path.id, context);
    const remedy = all[Number(path.number) - 1];
    if (!remedy)
      throw new ApiError(
        'not_found',
        `call ${path.id} has ${all.length === 1 ? '1 remedy' : `${all.length} remedies`}`,
      );
    const reply = await context.perform(await callOf(remedy, context));
    const { 'understudy-request-id': call } = reply.headers;
    return {
      text: remedy.text,
      status: reply.status,
      ...given({ body: shownBody(reply, context), call: call as string }),
    };
  },
} satisfies Partial<ControlOperations>;

function remediesOf(
  id: string,
  { environment, simulator, contract }: ControlContext,
): (Remedy | SendAgain)[] {
  const entry = REQUESTS.get(environment, id);
  const place = placeOf({ environment, ...simulator });
  return remediesFor(entry, explain(entry, place), { ...place, control: contract });
}

/** What a line of curl needs to make the call again. The secrets of a call that is not redacted are in it. */
function sentAgain({ path, again }: SendAgain, redacts: boolean): RemedyCall {
  const { query, body, headers } = again;
  const shown = redacts ? new Redaction({ query, body, headers }) : undefined;
  const text = new URLSearchParams(
    Object.entries((shown?.value(query) ?? query) as Record<string, string>),
  ).toString();
  const { authorization, 'content-type': type = '' } = (shown?.value(headers) ?? headers) as Record<
    string,
    string
  >;
  return {
    path: text === '' ? path : `${path}?${text}`,
    body: shown?.value(body) ?? body,
    ...given({ authorization }),
    isForm: type.startsWith(FORM),
  };
}

const redacted = <T extends Remedy>(remedy: T): T => ({
  ...remedy,
  ...(remedy.body !== undefined && { body: new Redaction(remedy.body).value(remedy.body) }),
});

/** A token is what the caller has asked for. Other answers are shown as the journal shows them. */
function shownBody({ text }: WrittenReply, { environment }: ControlContext): unknown {
  if (text === undefined || text === '') return undefined;
  const body = jsonIn(text) ?? text;
  const isToken = isObject(body) && 'access_token' in body;
  return isToken || !environment.journal.redacts ? body : new Redaction(body).value(body);
}

async function callOf(remedy: Remedy | SendAgain, context: ControlContext): Promise<OwnCall> {
  if ('again' in remedy) return sameCall(remedy, context);
  const { method, path, body, environment = context.environment.name } = remedy;
  const token = isOfService(path) ? await newToken(context) : undefined;
  const isForm = path === TOKEN_PATH;
  const type = isForm ? FORM : 'application/json';
  return {
    method,
    path,
    headers: {
      'understudy-environment': environment,
      ...(body !== undefined && { 'content-type': type }),
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
    },
    body: body === undefined ? undefined : textOf(body, type),
  };
}

/** Operations of the service want a token. */
const isOfService = (path: string) => path.startsWith('/api/');

const FORM = 'application/x-www-form-urlencoded';

/** The body has another length now, and an RPC is made again as its REST call. */
const NOT_AGAIN = new Set(['content-length', 'transfer-encoding', 'connection', 'te', 'host']);

async function sameCall(remedy: SendAgain, context: ControlContext): Promise<OwnCall> {
  const { method, path, again, withToken } = remedy;
  const { query, body, unread } = again;
  const headers = Object.fromEntries(
    Object.entries(again.headers).filter(([name]) => !NOT_AGAIN.has(name) && !name.startsWith(':')),
  ) as Record<string, string>;
  headers['understudy-environment'] = context.environment.name;
  if (withToken) headers['authorization'] = `Bearer ${await newToken(context)}`;
  if (again.protocol.startsWith('grpc') || again.protocol === 'connect')
    headers['content-type'] = 'application/json';
  const type = headers['content-type'] ?? 'application/json';
  return {
    method,
    path,
    query: query as Call['query'],
    headers,
    body: body === undefined ? unread : textOf(body, type),
  };
}

async function newToken(context: ControlContext): Promise<string> {
  const reply = await context.perform(await callOf(tokenRemedy(context.environment), context));
  return String((reply.body as { access_token?: string }).access_token);
}

function textOf(body: unknown, type: string): string {
  if (typeof body === 'string') return body;
  if (type.startsWith(FORM) && isObject(body))
    return new URLSearchParams(
      Object.entries(body).map(([name, value]) => [name, plainText(value)]),
    ).toString();
  return JSON.stringify(body);
}
