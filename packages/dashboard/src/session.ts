import { computed, effect, signal } from '@preact/signals';
import { ControlClient, ControlError, type ControlEvent, type Environment } from '@understudy/client/control';
import { serviceUrl } from './browser.ts';
import { forgetDrafts } from './drafts.ts';
import { environmentName } from './route.ts';

const TOKEN = 'understudy-control-token';
const RETRY_AFTER = 1000;

/** `live`: the feed is open; `lost`: the server does not answer; `locked`: the server requires its control token; `gone`: there is no such environment. */
type Connection = 'connecting' | 'live' | 'lost' | 'locked' | 'gone';

/** The control token is stored in this tab only. */
export const token = signal(sessionStorage.getItem(TOKEN) ?? undefined);

export const connection = signal<Connection>('connecting');

const client = computed(() => new ControlClient(serviceUrl(), { token: token.value }));

/** The control API, and the calls of the environment that is shown. */
export const control = () => client.value;
export const environment = computed(() => client.value.environment(environmentName.value));

export function unlock(value: string): void {
  sessionStorage.setItem(TOKEN, value);
  token.value = value;
}

/** Forgets the control token, and what was typed into forms. */
export function lock(): void {
  sessionStorage.clear();
  forgetDrafts();
  token.value = undefined;
}

/** Counts the changes that this page made to the list of environments, because the feed of one environment does not report others. */
export const environmentChanges = signal(0);

/** The most environments at rest in a list of environments. */
export const SHOWN_AT_REST = 100;

type Listener = (event: ControlEvent) => void;
const listeners = new Set<Listener>();

/** Calls the function for every event of the environment; `{ kind: 'start' }` comes whenever the feed (re)opens. */
export function listen(listener: Listener): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

const tell = (event: ControlEvent) => {
  for (const listener of listeners) listener(event);
};

/** Follows the feed of the environment that is shown, and opens it again when it breaks. */
export function followEnvironment(): void {
  effect(() => {
    const shown = environment.value;
    const stopping = new AbortController();
    connection.value = 'connecting';
    void follow(shown, stopping.signal);
    return () => stopping.abort();
  });
}

type Followed = typeof environment.value;

async function follow(shown: Followed, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    try {
      for await (const event of shown.events({ signal, onOpen: opened })) tell(event);
      if (!signal.aborted) connection.value = 'lost';
    } catch (thrown) {
      if (signal.aborted) return;
      connection.value = stateOf(thrown);
    }
    await new Promise((resolve) => setTimeout(resolve, RETRY_AFTER));
  }
}

function opened(): void {
  connection.value = 'live';
  tell({ id: '', kind: 'start', data: undefined });
}

function stateOf(thrown: unknown): Connection {
  if (!(thrown instanceof ControlError)) return 'lost';
  if (thrown.status === 401) return 'locked';
  return thrown.status === 404 || thrown.status === 410 ? 'gone' : 'lost';
}

/** Where tokens for the environment's own client come from. */
const TOKEN_PATH = '/oauth/token';

/** An access token of the environment's own client. */
export async function ownToken({ client_id, client_secret }: Environment): Promise<string> {
  const form = new URLSearchParams({ grant_type: 'client_credentials', client_id, client_secret });
  const response = await fetch(serviceUrl() + TOKEN_PATH, { method: 'POST', body: form });
  const answer = (await response.json().catch(() => ({}))) as {
    access_token?: string;
    error_description?: string;
  };
  if (answer.access_token !== undefined) return answer.access_token;
  const reason = answer.error_description ?? `the service answered ${response.status}`;
  throw new Error(
    `The environment's own client gets no token: ${reason}. If a loaded scenario causes this, the latest call of OAuth_Token under Requests says which one.`,
  );
}

interface Refusal {
  message?: string;
  error?: string;
  error_description?: string;
  details?: { validation_error_info?: { field_violations?: { field: string; description: string }[] } }[];
}

/** Calls the API of the service as the environment's own client. The journal has the call. */
export async function callService<T>(method: string, path: string, body?: object): Promise<T> {
  const own = await environment.value.get();
  const response = await fetch(serviceUrl() + path, {
    method,
    headers: {
      'understudy-environment': own.name,
      authorization: `Bearer ${await ownToken(own)}`,
      ...(body && { 'content-type': 'application/json' }),
    },
    ...(body && { body: JSON.stringify(body) }),
  });
  return readAnswer(response);
}

/** The body of the answer; throws the error of the server. */
export async function readAnswer<T>(response: Response): Promise<T> {
  const text = await response.text();
  if (response.ok) return (text === '' ? undefined : JSON.parse(text)) as T;
  throw new Error(complaintIn(text) ?? `${response.status} ${text}`);
}

function complaintIn(text: string): string | undefined {
  try {
    const { error, error_description, message, details = [] } = JSON.parse(text) as Refusal;
    if (error !== undefined) return [error, error_description].filter(Boolean).join(': ');
    const violations = details.flatMap((detail) => detail.validation_error_info?.field_violations ?? []);
    return [message, ...violations.map(({ field, description }) => `${field}: ${description}`)].join('\n');
  } catch {
    return undefined;
  }
}
