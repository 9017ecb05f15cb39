import { computed, effect, signal } from '@preact/signals';
import { ControlClient, ControlError, type ControlEvent } from '../client/control.ts';
import { environmentName } from './route.ts';

const TOKEN = 'understudy-control-token';
const RETRY_AFTER = 1000;

/** `live`: the feed is open; `lost`: the server does not answer; `locked`: the server requires its control token; `gone`: there is no such environment. */
type Connection = 'connecting' | 'live' | 'lost' | 'locked' | 'gone';

/** The control token is stored in this tab only. */
export const token = signal(sessionStorage.getItem(TOKEN) ?? undefined);

export const connection = signal<Connection>('connecting');

const client = computed(() => new ControlClient(location.origin, { token: token.value }));

/** The control API, and the calls of the environment that is shown. */
export const control = () => client.value;
export const environment = computed(() => client.value.environment(environmentName.value));

export function unlock(value: string): void {
  sessionStorage.setItem(TOKEN, value);
  token.value = value;
}

/** Forgets the control token, and the tokens that the API reference was given. */
export function lock(): void {
  sessionStorage.clear();
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
