// The tests read this file in Node, where no page is.

/** The navigation: the name of each page in its address, and its title. */
export const ENTRIES = [
  ['requests', 'Requests'],
  ['scenarios', 'Scenarios'],
  ['clock', 'Clock'],
  ['state', 'State'],
  ['sign-ins', 'Sign-ins'],
  ['connected-accounts', 'Connected accounts'],
  ['identity-providers', 'Identity providers'],
  ['mail', 'Mail'],
  ['webhooks', 'Webhooks'],
  ['interceptors', 'Interceptors'],
  ['coverage', 'Coverage'],
  ['environments', 'Environments'],
  ['reference', 'API reference'],
] as const;

/** Pages without an entry, with the name of the page that leads to them. */
const PART_OF = {
  request: 'requests',
  row: 'state',
  operation: 'reference',
  schema: 'reference',
  compare: 'environments',
  'signed-in': 'sign-ins',
  initiated: 'sign-ins',
} as const;

export type PageName = (typeof ENTRIES)[number][0] | keyof typeof PART_OF;

/** The name of the entry under which a page is. */
export const entryOf = (page: string): string => (PART_OF as Record<string, string>)[page] ?? page;
