import { join } from 'node:path';
import { callLog, type OnCalled } from './call-log.ts';
import { DEFAULTS, type Config } from './config.ts';
import { Certificates } from './server/certificates/certificates.ts';
import { Contract } from './contract/contract.ts';
import type { Controls } from './control/handler.ts';
import { createDocuments, readContract, readProvenFixtures, readVersion } from './documents.ts';
import type { Origin } from './environment/durable-log.ts';
import { FixtureError } from './environment/fixture-files.ts';
import { FixtureFolders } from './environment/fixture-files.ts';
import { FixtureFolder } from './environment/fixture/fixture-folder.ts';
import { DEFAULT_ENVIRONMENT, Environments } from './environment/environments.ts';
import type { FixtureRows } from './environment/fixture/fixture-rows.ts';
import type { EnvironmentServices } from './environment/services.ts';
import { reporter } from './failure-log.ts';
import type { RpcServer } from './server/grpc/details.ts';
import { createApp } from './server/app.ts';
import { warnOfNobody } from './environment/unknown-user.ts';
import { BrowserGuard } from './server/browser-guard.ts';
import { CallRecorder } from './report/call-recorder.ts';
import { createRpc } from './server/rpc.ts';
import type { Interceptors } from './interceptors/interceptors.ts';
import { openLog, type Log } from './log.ts';
import { Handlers } from './operations/index.ts';
import { OutgoingCalls } from './webhooks/outgoing-calls.ts';
import { PACKAGE_ROOT } from './package-root.ts';
import type { ScenarioCatalog } from './scenarios/library.ts';
import { logFolder, openStore } from './store/open-store.ts';
import { Clock } from './environment/clock.ts';
import { SchemaChecks } from './environment/rows/json-schema.ts';
import { Keys } from './environment/keys.ts';

export interface Understudy {
  app: ReturnType<typeof createApp>;
  rpc: RpcServer;
  certificates: Certificates;
  controls: Controls;
  /** Keeps the calls for `--report`. */
  recorder: CallRecorder | undefined;
  /** Compacts the files on disk. Nothing is stored afterwards. */
  close(): Promise<void>;
}

/** The contracts of the service and the control API. They are never changed, so simulators of one process share them. */
export interface Promises {
  contract: Contract;
  control: Contract;
}

export const readPromises = (): Promises => ({
  contract: new Contract(readContract('openapi')),
  control: new Contract(readContract('control')),
});

/** Creates and connects all parts. The app can be called as soon as this resolves. */
export async function createUnderstudy(
  config: Config,
  write: (line: string) => void,
  { contract, control }: Promises = readPromises(),
): Promise<Understudy> {
  const log = await openLog(config, write);
  await refuseBadReceivers(config, control);
  const guard = new BrowserGuard(config);
  const keys = new Keys();
  const fixtures = fixtureFolderOf(config, control);
  const scenarios = scenarioAccessOf(config, contract, control);
  const shared = sharedOf(config, { contract, control, keys, log });
  const certificates = new Certificates({ ...config.tls, folder: config.data }, log.warn);
  const environments = await openEnvironments(config, log, fixtures, scenarios, shared);
  await warnOfNobody(config, environments, log);

  const simulator = { contract, environments, keys, ...helpers(contract, config, log) };
  const controls: Controls = {
    simulator,
    contract: control,
    fixtures,
    scenarios,
    certificates,
    documents: createDocuments(),
    version: readVersion(),
    token: config.controlToken,
    log,
  };
  const close = () => shared.outgoing.close().then(() => environments.close());
  return { ...doorsOf(controls, config, guard), certificates, controls, recorder: shared.recorder, close };
}

/** Refuses to start if a webhook address may not be called or a signing secret is invalid. */
async function refuseBadReceivers(config: Config, control: Contract): Promise<void> {
  const { webhooks, webhookSecret, webhookAllow } = config;
  const isUsual = webhookSecret === DEFAULTS.webhookSecret;
  if (isUsual && webhooks.length === 0 && webhookAllow.length === 0) return;
  const { checkReceivers } = await import('./webhooks/check-receivers.ts');
  checkReceivers(config, control);
}

function doorsOf(controls: Controls, config: Config, guard: BrowserGuard) {
  const rpc = createRpc(controls, config);
  return { app: createApp({ controls, guard, rpc }, config), rpc };
}

interface Basis {
  contract: Contract;
  control: Contract;
  keys: Keys;
  log: Log;
}

function sharedOf(
  {
    report: files,
    journal,
    history,
    autoLogin,
    webhooks: urls,
    webhookSecret: secret,
    webhookAllow: allow,
  }: Config,
  { contract, control: rows, keys, log }: Basis,
) {
  const report = reporter(log);
  const outgoing = new OutgoingCalls({ keys, contract, allow, report });
  const schemas = new SchemaChecks();
  const webhooks = { urls, secret };
  const recorder = files.length > 0 ? new CallRecorder(journal.redact) : undefined;
  const logCall = callLog(log);
  const onCalled: OnCalled = (entry, environment) => {
    logCall(entry, environment);
    recorder?.record(entry, environment);
  };
  const called = { report, warn: log.warn, onCalled, recorder };
  return { keys, schemas, rows, journal, history, autoLogin, webhooks, outgoing, ...called };
}

function fixtureFolderOf({ fixture, fixtureFolders }: Config, contract: Contract): FixtureFolder {
  const shipped = join(PACKAGE_ROOT, 'fixtures');
  const folders = new FixtureFolders(fixtureFolders, shipped, readProvenFixtures());
  return new FixtureFolder({ folders, contract }, fixture, new Clock().now());
}

const helpers = (contract: Contract, { webhookAllow, strict }: Config, log: Log) => ({
  strict,
  handlers: new Handlers(),
  interceptors: interceptorsOf(contract, webhookAllow),
  report: reporter(log),
});

/** Created when the first interceptor must be called. */
function interceptorsOf(contract: Contract, allow: readonly string[]): () => Promise<Interceptors> {
  let made: Promise<Interceptors> | undefined;
  const make = async () => {
    const { Interceptors } = await import('./interceptors/interceptors.ts');
    const { AllowedHosts } = await import('./webhooks/allowed-hosts.ts');
    return new Interceptors(contract, new AllowedHosts(allow));
  };
  return () => (made ??= make());
}

/** Created at first use, because loading the YAML parser takes a tenth of the start. */
function scenarioAccessOf(
  { scenarioFolders }: Config,
  contract: Contract,
  control: Contract,
): () => Promise<ScenarioCatalog> {
  let folder: Promise<ScenarioCatalog> | undefined;
  const make = async () => {
    const { createScenarioCatalog } = await import('./scenarios/library.ts');
    return createScenarioCatalog({ contract, control }, scenarioFolders);
  };
  return () => (folder ??= make());
}

async function initialScenarios(
  { scenarios, scenarioFolders }: Config,
  folder: () => Promise<ScenarioCatalog>,
) {
  if (scenarios.length === 0 && scenarioFolders.length === 0) return [];
  const { library } = await folder();
  return scenarios.map((reference) => library.readNamed(reference));
}

/** Opens `default` and the environments that an earlier process has stored. */
async function openEnvironments(
  config: Config,
  log: Log,
  fixtures: FixtureFolder,
  scenarios: () => Promise<ScenarioCatalog>,
  shared: EnvironmentServices,
): Promise<Environments> {
  const { seed, maxEnvironments: limit, environmentTtl: idleLimit, credentials } = config;
  const fixture = fixtures.standard();
  const initial = await initialScenarios(config, scenarios);
  const store = await openStore(config, log);
  const persist = config.data !== undefined || config.store !== undefined;
  const environments = new Environments({ seed, limit, idleLimit, credentials }, store, shared);
  try {
    await environments.create({ name: DEFAULT_ENVIRONMENT, persist }, fixture, initial);
    await environments.reopen((name, origin) => keptFixture(fixtures, name, origin));
    logFolder(config, log);
    return environments;
  } catch (thrown) {
    await store.close();
    throw thrown;
  }
}

/** The fixture of a stored environment may no longer exist. */
function keptFixture(fixtures: FixtureFolder, name: string, { fixture, clock }: Origin): FixtureRows {
  try {
    return fixtures.rows(fixture, clock);
  } catch (thrown) {
    throw thrown instanceof FixtureError
      ? new FixtureError(`environment ${name}: ${thrown.message}`)
      : thrown;
  }
}
