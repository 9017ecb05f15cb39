import { chromium, type Browser, type BrowserContextOptions, type Page } from 'playwright-core';
import { expect, inject, onTestFinished } from 'vitest';
import { KNOWN_CREDENTIALS, type Config } from '../../../src/start/config.ts';
import { openPort } from '../../support/port.ts';
import { RelyingParty, type Credentials } from './relying-party.ts';

let connected: Promise<Browser> | undefined;

interface WindowOptions extends BrowserContextOptions {
  /** Errors in the console are intended: the browser logs the calls that it blocks and that nobody answers. */
  complains?: boolean;
}

/** Opens a window without cookies. An error in its console, such as a policy violation, fails the test. */
export async function openWindow({ complains = false, ...options }: WindowOptions = {}): Promise<Page> {
  connected ??= chromium.connect(inject('browser'));
  const browser = await connected;
  const context = await browser.newContext(options);
  context.setDefaultTimeout(90_000);
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('console', (message) => {
    // Chromium logs each failed load; a page with status 400 is intended.
    const isStatus = message.text().startsWith('Failed to load resource: the server responded with');
    if (message.type() === 'error' && !isStatus) complaints.push(`${page.url()}: ${message.text()}`);
  });
  page.on('pageerror', (error) => complaints.push(`${page.url()}: ${error.message}`));
  onTestFinished(async () => {
    await context.close();
    if (!complains) expect(complaints).toEqual([]);
  });
  return page;
}

export interface Stage {
  /** The base URL of the simulator. The application is on another site. */
  issuer: string;
  party: RelyingParty;
  /** Calls the control API and returns the response body. */
  control<T = Record<string, unknown>>(method: string, path: string, body?: object): Promise<T>;
  /** Calls the API with the environment's default client and returns the response body. */
  api<T = Record<string, unknown>>(method: string, path: string, body?: object): Promise<T>;
}

interface StageOptions {
  client?: Credentials;
  config?: Partial<Config>;
}

/** A simulator in memory and an application that uses it. */
export async function setStage({ client = KNOWN_CREDENTIALS, config }: StageOptions = {}): Promise<Stage> {
  const { port } = await openPort(config);
  return stageAt(`http://localhost:${port}`, client);
}

/** An application that uses the simulator at this address. */
export async function stageAt(issuer: string, client: Credentials = KNOWN_CREDENTIALS): Promise<Stage> {
  const control: Stage['control'] = (method, path, body) =>
    call(method, `${issuer}/_control/v1${path}`, body);
  return {
    issuer,
    party: await RelyingParty.start(issuer, client),
    control,
    async api(method, path, body) {
      return call(method, issuer + path, body, { authorization: `Bearer ${await tokenOf({ issuer })}` });
    },
  };
}

/** An access token of the API. */
export async function tokenOf(
  { issuer }: Pick<Stage, 'issuer'>,
  { client_id, client_secret = '' }: Credentials = KNOWN_CREDENTIALS,
): Promise<string> {
  const form = new URLSearchParams({ grant_type: 'client_credentials', client_id, client_secret });
  const answer = await fetch(`${issuer}/oauth/token`, { method: 'POST', body: form });
  return ((await answer.json()) as { access_token: string }).access_token;
}

async function call<T>(method: string, url: string, body?: object, headers = {}): Promise<T> {
  const answer = await fetch(url, {
    method,
    headers: { ...headers, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${method} ${url}: ${answer.status} ${text}`);
  return (text === '' ? undefined : JSON.parse(text)) as T;
}
