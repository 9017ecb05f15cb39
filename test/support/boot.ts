import type { RequestListener } from 'node:http';
import supertest from 'supertest';
import { afterAll, expect, onTestFinished } from 'vitest';
import { DEFAULTS, KNOWN_CREDENTIALS, type Config } from '../../src/start/config.ts';
import type { Environment } from '../../src/environment/environment.ts';
import { payloadOf } from '../../src/webhooks/events/event.ts';
import { isUnexplained } from '../../src/why/why.ts';
import { createApp } from '../../src/server/app.ts';
import { BrowserGuard } from '../../src/server/browser-guard.ts';
import { createUnderstudy, readPackageFiles, type Understudy } from '../../src/simulator.ts';
import { listen, serverOf } from './listening.ts';

export interface Booted {
  /** Sends calls with a token of the environment's default client. */
  api: Agent;
  /** Sends calls without a token. */
  anonymous: Agent;
  /** Sends calls to /_control/v1; give the path without that prefix. */
  control: Agent;
  token: string;
  understudy: Understudy;
  /** The environment that these calls use. */
  own: Environment;
  /** The lines that the program logged. */
  lines: string[];
  /** Creates another environment and returns agents that call it with its own client. */
  environment(name: string, wanted?: object): Promise<{ api: Agent; control: Agent; token: string }>;
}

type Verb = 'get' | 'post' | 'put' | 'patch' | 'delete';
export type Agent = Record<Verb, (path: string) => supertest.Test>;

/** An agent that sends this token with each call. */
export const agentWith = (anonymous: Agent, token: string): Agent =>
  agentWithHeaders(anonymous, { authorization: `Bearer ${token}` });

/** An agent that sends these headers with each call. */
export function agentWithHeaders(anonymous: Agent, headers: Record<string, string>): Agent {
  const verb = (name: keyof Agent) => (path: string) => anonymous[name](path).set(headers);
  return {
    get: verb('get'),
    post: verb('post'),
    put: verb('put'),
    patch: verb('patch'),
    delete: verb('delete'),
  };
}

interface BootOptions extends Partial<Config> {
  /** The clock is frozen at this time. Without it, the clock follows real time. */
  now?: string;
  /** Set this when the test breaks the contract on purpose. */
  brokenContract?: true;
}

/** Shared by all tests of a file: reading the contract is slow, and no simulator changes it. */
export const packageFiles = readPackageFiles();

/**
 * A fresh simulator in memory. After the test, every response and every event must conform to the contract.
 */
export async function boot({ now, brokenContract, ...config }: BootOptions = {}): Promise<Booted> {
  const { understudy, lines, close } = await create(config);
  onTestFinished(close);
  if (!brokenContract) onTestFinished(() => expectKept(understudy.controls.simulator.environments.list()));
  const { app } = understudy;
  const control = agent(app, '/_control/v1', {});
  if (now) await control.put('/clock').send({ mode: 'frozen', at: now }).expect(200);
  const token = await tokenOf(app, config.credentials ?? KNOWN_CREDENTIALS);
  return bootedOf(understudy, lines, token);
}

/** A simulator that the tests of a file share, because starting one for each test takes most of the time. */
export interface SharedBoot {
  /** The environment `default` with one shared token, for tests that do not change it. */
  same(): Promise<Booted>;
  /** A fresh environment that `control`, `api` and `anonymous` call. */
  fresh(wanted?: object): Promise<Booted>;
}

export function bootOnce(config: Partial<Config> = {}): SharedBoot {
  let started: Promise<Booted> | undefined;
  let made = 0;
  let close: (() => Promise<void>) | undefined;
  afterAll(() => close?.());

  async function begin(): Promise<Booted> {
    const created = await create(config);
    const { understudy, lines } = created;
    close = created.close;
    return bootedOf(
      understudy,
      lines,
      await tokenOf(understudy.app, config.credentials ?? KNOWN_CREDENTIALS),
    );
  }

  async function same(): Promise<Booted> {
    const booted = await (started ??= begin());
    const since = booted.own.journal.list().at(-1)?.id;
    onTestFinished(() => expectKept([booted.own], since));
    return booted;
  }

  async function fresh(wanted: object = {}): Promise<Booted> {
    const { understudy, lines, environment } = await (started ??= begin());
    const name = `fresh-${(made += 1)}`;
    const { token, control } = await environment(name, wanted);
    const booted = bootedOf(understudy, lines, token, { 'understudy-environment': name });
    onTestFinished(async () => {
      await control.delete(`/environments/${name}`);
      expectKept([booted.own]);
    });
    return booted;
  }

  return { same, fresh };
}

async function create(config: Partial<Config>) {
  const lines: string[] = [];
  const memory = { ...DEFAULTS, data: undefined, logLevel: 'warn' as const };
  const understudy = await createUnderstudy(
    { ...memory, ...config },
    (line) => lines.push(line),
    packageFiles,
  );
  const stopListening = await listen(understudy.app);
  const close = async () => {
    stopListening();
    await understudy.close();
  };
  return { understudy, lines, close };
}

function bootedOf(
  understudy: Understudy,
  lines: string[],
  token: string,
  headers: Record<string, string> = {},
): Booted {
  const { app } = understudy;
  return {
    api: agent(app, '', { ...headers, authorization: `Bearer ${token}` }),
    anonymous: agent(app, '', headers),
    control: agent(app, '/_control/v1', headers),
    token,
    understudy,
    own: understudy.controls.simulator.environments.get(headers['understudy-environment'] ?? 'default'),
    lines,
    environment: (name, wanted = {}) => makeEnvironment(app, name, wanted),
  };
}

/** The same simulator behind an app with changed controls. */
export function rewired(
  understudy: Understudy,
  change: (controls: Understudy['controls']) => Understudy['controls'],
  token: string,
) {
  const { rpc } = understudy;
  const guard = new BrowserGuard(DEFAULTS);
  const app = createApp({ controls: change(understudy.controls), packages: [], guard, rpc }, DEFAULTS);
  return agent(app, '', { authorization: `Bearer ${token}` });
}

async function makeEnvironment(app: RequestListener, name: string, wanted: object) {
  const headers = { 'understudy-environment': name };
  const made = await agent(app, '/_control/v1', {})
    .post('/environments')
    .send({ name, ...wanted })
    .expect(201);
  const token = await tokenOf(app, made.body);
  return {
    token,
    api: agent(app, '', { authorization: `Bearer ${token}` }),
    control: agent(app, '/_control/v1', headers),
  };
}

export async function tokenOf(
  app: RequestListener,
  { client_id, client_secret }: { client_id: string; client_secret: string },
) {
  const form = { grant_type: 'client_credentials', client_id, client_secret };
  const { body } = await supertest(serverOf(app)).post('/oauth/token').type('form').send(form).expect(200);
  return body.access_token as string;
}

export function agent(app: RequestListener, prefix: string, headers: Record<string, string>): Agent {
  const verb = (name: Verb) => (path: string) =>
    supertest(serverOf(app))[name](`${prefix}${path}`).set(headers);
  return {
    get: verb('get'),
    post: verb('post'),
    put: verb('put'),
    patch: verb('patch'),
    delete: verb('delete'),
  };
}

/** Expects that no response after the entry `since` and no event broke the contract. */
function expectKept(environments: readonly Environment[], since?: string): void {
  const entries = environments.flatMap(({ journal }) =>
    journal
      .list(since)
      .filter(({ response, cause }) => response !== undefined || cause !== undefined)
      .map((entry) => journal.view(entry)),
  );
  expect(entries).toEqual([]);
  expect(environments.flatMap(brokenEvents)).toEqual([]);
  expect(environments.flatMap((each) => unexplainedCalls(each, since))).toEqual([]);
}

/** Refusals of which the journal cannot say why. The place that refuses a call says it, with `because` or a helper. */
const unexplainedCalls = ({ journal }: Environment, since?: string) =>
  journal
    .list(since)
    // A test may write entries of its own.
    .filter((entry) => entry.replyHeaders?.['understudy-request-id'] !== undefined)
    .filter(isUnexplained)
    .map(({ method, path, status, replyText, refusal }) => ({ method, path, status, replyText, refusal }));

/** Only events that the simulator emitted: tests may insert any other event. */
const isOurs = ({ id }: { id: string }) => /^evt_\d{17,}$/.test(id) && !id.startsWith('evt_10000000000000');

/** The contract violations of each emitted event. */
const brokenEvents = ({ tables }: Environment): unknown[] =>
  tables.events
    .list()
    .filter(isOurs)
    .map((event) => ({
      event,
      complaints: packageFiles.contract.messageComplaints(event.type, payloadOf(tables, event)),
    }))
    .filter(({ complaints }) => complaints.length > 0);
