import { computed, signal } from '@preact/signals';
import { placeOf, stepOf } from './reference/former-address.ts';

interface Route {
  environment: string;
  /** Name of the page, such as `requests`. */
  page: string;
  /** The id of what the page shows, such as that of a request, a collection or a mail. */
  id: string | undefined;
  /** The second part of the id, such as the row of a collection. */
  item: string | undefined;
  /** What the address says after `?`, such as the filter of a list. */
  query: URLSearchParams;
}

const moved = placeOf(location);
if (moved !== undefined) history.replaceState(null, '', location.pathname + moved);

const hash = signal(location.hash);
addEventListener('hashchange', () => (hash.value = location.hash));

/** The page that is shown: `#/default/requests/req_3`. The address can be shared and bookmarked. */
export const route = computed<Route>(() => {
  const [steps = '', query] = hash.value.replace(/^#\/?/, '').split(/\?(.*)/s);
  const [environment, page, id, item] = steps.split('/').map(stepOf);
  return {
    environment: environment || 'default',
    page: page === 'state' && item ? 'row' : page || 'requests',
    id: id || undefined,
    item,
    query: new URLSearchParams(query),
  };
});

export const environmentName = computed(() => route.value.environment);

/** The address of a page of the environment that is shown. */
export const href = (page: string, ...ids: string[]): string => hrefIn(environmentName.value, page, ...ids);

export const hrefIn = (environment: string, ...steps: string[]): string =>
  `#/${[environment, ...steps].map(encodeURIComponent).join('/')}`;

/** The address with these parameters; without those that are empty. */
export function withQuery(address: string, query: Readonly<Record<string, string | undefined>>): string {
  const given = Object.entries(query).filter((pair): pair is [string, string] => !!pair[1]);
  return given.length === 0 ? address : `${address}?${new URLSearchParams(given)}`;
}

/** Changes parameters of the address without a new entry in the history of the browser. */
export function changeQuery(changes: Readonly<Record<string, string | undefined>>): void {
  const [address = ''] = hash.peek().split('?');
  const query = { ...Object.fromEntries(route.peek().query), ...changes };
  history.replaceState(history.state, '', withQuery(address || href('requests'), query));
  hash.value = location.hash;
}

/** How an address names the rows as they are, of an environment; or those of a snapshot of the environment that is shown. */
export const [NOW, THEN] = ['environment:', 'snapshot:'] as const;

export const go = (address: string): void => {
  location.hash = address;
};
