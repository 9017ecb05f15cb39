import type { JournalEntry } from '@understudy/client/control';
import { plainText } from '@understudy/text/json';
import { serviceUrl } from '../browser.ts';
import { ownToken, environment } from '../session.ts';

/** Sent anew with the body as it is. */
const KEPT_HEADERS = ['content-type', 'accept'];

/** What the journal shows in place of a secret. */
const REDACTED = '[redacted]';

const isRedacted = (value: unknown) => plainText(value).includes(REDACTED);

/** A token that the journal hides can be made anew. At the OAuth endpoints, the header has a secret of a client. */
const hasHiddenToken = ({ path, request }: JournalEntry) =>
  isRedacted(request.headers?.['authorization'] ?? '') && !path.startsWith('/oauth/');

/** Whether the call needs a secret that only its caller has. */
function needsSecret(entry: JournalEntry): boolean {
  const headers = headersOf(entry).filter(([name]) => name !== 'authorization' || !hasHiddenToken(entry));
  const { query, body } = entry.request;
  return [entry.path, query, body, ...headers.map(([, value]) => value)].some(isRedacted);
}

/**
 * Makes the call of a journal entry again, over HTTP. Because the journal hides tokens, a call that had one is made by
 * the environment's own client. Resolves to the id of the new entry.
 */
export async function sendAgain(entry: JournalEntry): Promise<string | undefined> {
  if (needsSecret(entry))
    throw new Error(
      'This call cannot be sent again, because the journal shows no secrets. To see and send them, start Understudy ' +
        'with --no-redact.',
    );
  const given = entry.request.headers ?? {};
  const headers = new Headers({ 'understudy-environment': environment.value.name });
  for (const name of KEPT_HEADERS) if (typeof given[name] === 'string') headers.set(name, given[name]);
  if (given['authorization'] !== undefined)
    headers.set('authorization', `Bearer ${await ownToken(await environment.value.get())}`);
  const body = bodyOf(entry);
  const response = await fetch(serviceUrl() + targetOf(entry), {
    method: entry.method,
    headers,
    redirect: 'manual',
    ...(body !== undefined && entry.method !== 'GET' && { body }),
  });
  return response.headers.get('understudy-request-id') ?? undefined;
}

/** The client sets these itself when it sends the call again. */
const OWN_HEADERS =
  /^(:.*|sec-.*|host|content-length|connection|accept-encoding|accept-language|transfer-encoding|user-agent)$/;

const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;

/** Path and query. */
function targetOf({ path, request }: JournalEntry): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(request.query ?? {}))
    for (const each of [value].flat()) query.append(name, plainText(each));
  return query.size > 0 ? `${path}?${query}` : path;
}

const headersOf = ({ request }: JournalEntry) =>
  Object.entries(request.headers ?? {}).filter(([name]) => !OWN_HEADERS.test(name));

/** The body as it was sent, except for hidden secrets. */
function bodyOf({ request }: JournalEntry): string | undefined {
  const { body, headers } = request;
  if (body === undefined) return undefined;
  if (typeof body === 'string') return body;
  const isForm = plainText(headers?.['content-type']).startsWith('application/x-www-form-urlencoded');
  return isForm ? new URLSearchParams(body as Record<string, string>).toString() : JSON.stringify(body);
}

/** The address that the commands of Understudy call unless they are told another one. */
const USUAL_ORIGIN = 'http://localhost:8080';

/** The header stands in double quotes, so that the shell runs the command in it, which prints a token. */
function tokenHeader({ environment: name }: JournalEntry, origin: string): string {
  const options = [
    ...(origin === USUAL_ORIGIN ? [] : ['--url', origin]),
    ...(name === 'default' ? [] : ['--environment', name]),
  ];
  return `-H "authorization: Bearer $(${['npx understudy-server token', ...options].join(' ')})"`;
}

/** The call as a shell command. It gets a new token if the call had one; other headers with hidden secrets are left out. */
export function curlOf(entry: JournalEntry, origin: string): string {
  const body = bodyOf(entry);
  const headers = headersOf(entry).filter(([, value]) => !isRedacted(value));
  return [
    `curl -X ${entry.method} ${quoted(origin + targetOf(entry))}`,
    ...(hasHiddenToken(entry) ? [tokenHeader(entry, origin)] : []),
    ...headers.map(([name, value]) => `-H ${quoted(`${name}: ${plainText(value)}`)}`),
    ...(body === undefined ? [] : [`-d ${quoted(body)}`]),
  ].join(' \\\n  ');
}
