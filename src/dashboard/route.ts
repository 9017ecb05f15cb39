import { computed, signal } from '@preact/signals';

interface Route {
  environment: string;
  /** Name of the page, such as `requests`. */
  page: string;
  /** The id of what the page shows, such as that of a request, a collection or a mail. */
  id: string | undefined;
  /** The second part of the id, such as the row of a collection. */
  item: string | undefined;
}

const hash = signal(location.hash);
addEventListener('hashchange', () => (hash.value = location.hash));

/** The page that is shown: `#/default/requests/req_3`. The address can be shared and bookmarked. */
export const route = computed<Route>(() => {
  const [environment, page, id, item] = hash.value.replace(/^#\/?/, '').split('/').map(decode);
  return { environment: environment || 'default', page: page || 'requests', id: id || undefined, item };
});

export const environmentName = computed(() => route.value.environment);

/** The address of a page of the environment that is shown. */
export const href = (page: string, ...ids: string[]): string => hrefIn(environmentName.value, page, ...ids);

export const hrefIn = (environment: string, ...steps: string[]): string =>
  `#/${[environment, ...steps].map(encodeURIComponent).join('/')}`;

export const go = (address: string): void => {
  location.hash = address;
};

function decode(step: string): string {
  try {
    return decodeURIComponent(step);
  } catch {
    return step;
  }
}
