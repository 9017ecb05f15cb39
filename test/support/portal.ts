import type { Agent, Booted } from './boot.ts';
import { Browser, type Visit } from './browser.ts';
import { NORDWIND } from './fixture-ids.ts';

/** The path of a new portal link, as an application would give it to an administrator. */
export async function portalLink(api: Agent, organization = NORDWIND, features = ['sso', 'dir_sync']) {
  const query = features.map((feature) => `features=${feature}`).join('&');
  const { body } = await api.put(`/api/v1/organizations/${organization}/portal_links?${query}`).expect(200);
  return new URL(body.link.location).pathname;
}

/** The cookie of a browser that has opened the portal of Nordwind. */
export async function portalCookie({ api, anonymous }: Pick<Booted, 'api' | 'anonymous'>): Promise<string> {
  const opened = await anonymous.get(await portalLink(api)).expect(302);
  return /^([^;]*)/.exec(String(opened.headers['set-cookie']))![1]!;
}

/** Opens the overview page of the portal. */
export async function openPortal(booted: Booted, organization?: string, features?: string[]) {
  const browser = new Browser(booted);
  const overview = await browser.open(await portalLink(booted.api, organization, features));
  return { browser, overview };
}

/** The events that the page's script posts to the embedding site. */
export const eventsOf = (page: Visit) => dataOf(page, 'events') as Record<string, unknown>[];

export const countdownOf = (page: Visit) => ({
  remaining: dataOf(page, 'remaining'),
  later: dataOf(page, 'later'),
});

function dataOf({ text }: Visit, name: string): unknown {
  const [, written] = new RegExp(`data-${name}="([^"]*)"`).exec(text) ?? [];
  if (written === undefined) throw new Error(`no data-${name} in ${text}`);
  return written === '' ? undefined : JSON.parse(written.replaceAll('&quot;', '"').replaceAll('&amp;', '&'));
}

export const csrfOf = ({ text }: Visit) => /name="csrf_token" value="([^"]*)"/.exec(text)![1]!;
