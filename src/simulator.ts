import { join } from 'node:path';
import { callLog, type OnCalled, reporter } from './journal/service-log.ts';
import { ConfigError, DEFAULTS, type Config } from './start/config.ts';
import { Certificates } from './server/certificates/certificates.ts';
import { Contract } from './contract/contract.ts';
import type { SharedApis } from './control/shared-apis.ts';
import type { Controls } from './control/handler.ts';
import {
  createDocuments,
  readChecks,
  readContract,
  readProvenFixtures,
  readVersion,
} from './contract/documents.ts';
import { FixtureFolders, ProvenFixtures } from './fixtures/fixture-files.ts';
import { FixtureFolder } from './fixtures/fixtures.ts';
import type { RpcServer } from './server/grpc/wire.ts';
import { createApp, type AppParts } from './server/app.ts';
import { warnOfBrokenFiles } from './environment/broken-files.ts';
import { warnOfUnknownNames } from './environment/unknown-names.ts';
import type { OpenDatabase } from './environment/open-store.ts';
import { BrowserGuard } from './server/browser-guard.ts';
import { CallRecorder } from '@understudy/report/run-report';
import { createRpc } from './server/rpc.ts';
import type { Log } from '@understudy/text/log';
import { Metrics } from './metrics/metrics.ts';
import { openLog } from './start/open-log.ts';
import { Explainer } from './server/explainer.ts';
import { openEnvironments } from './environment/open-environments.ts';
import { Handlers } from './operations/index.ts';
import { giveRolesOfGroups } from './operations/directories/group-roles.ts';
import { endSessionsOfFormerMembers } from './operations/session-end.ts';
import { logAbandonedSignIn } from './operations/sign-in/transaction.ts';
import type { Interceptors } from './interceptors/interceptors.ts';
import { readProviderAddresses, type AllowedHosts } from './webhooks/allowed-hosts.ts';
import { callBackChannelLogout } from './webhooks/back-channel-logout.ts';
import { recordCausedEvents } from './webhooks/events/follow.ts';
import { OutgoingCalls } from './webhooks/outgoing-calls.ts';
import { PACKAGE_ROOT } from '@understudy/text/files';
import { loadParts, type DatabasePart, type Part } from './parts.ts';
import type { ScenarioCopy } from './scenarios/scenario-copy.ts';
import type { ScenarioCatalog } from './scenarios/library.ts';
import { Clock } from './state/clock.ts';
import { SchemaChecks } from './contract/json-schema/checks.ts';
import { Keys } from './state/keys.ts';

export interface Understudy {
  app: ReturnType<typeof createApp>;
  rpc: RpcServer;
  certificates: Certificates;
  controls: Controls;
  /** Keeps the calls for `--report`. */
  recorder: CallRecorder | undefined;
  /** Tells where the port is open, for calls to this process. */
  answersAt: (address: string) => void;
  /** Whether other processes serve the same environments, so that calls may go to them. */
  isShared: boolean;
  /** Compacts the files on disk. Nothing is stored afterwards. */
  close(): Promise<void>;
}

/** What is read from the package. Nothing changes it, so simulators of one process share it. */
interface PackageFiles {
  /** The contract of the service. */
  contract: Contract;
  /** The contract of the control API. */
  control: Contract;
  /** The fixtures of the package. */
  proven: ProvenFixtures;
}

export const readPackageFiles = (): PackageFiles => ({
  contract: new Contract(
    () => readContract('openapi'),
    () => readChecks('openapi'),
  ),
  control: new Contract(
    () => readContract('control'),
    () => readChecks('control'),
  ),
  proven: new ProvenFixtures(readProvenFixtures()),
});

/** Creates and connects all parts. The app can be called as soon as this resolves. */
export async function createUnderstudy(
  config: Config,
  write: (line: string) => void,
  { contract, control, proven }: PackageFiles = readPackageFiles(),
): Promise<Understudy> {
  const log = openLog(config, write);
  await refuseBadReceivers(config, control);
  const guard = new BrowserGuard(config);
  const keys = new Keys();
  const fixtures = fixtureFolderOf(config, control, proven);
  const scenarios = scenarioAccessOf(config, contract, control);
  const packages = await loadParts();
  const shared = sharedOf(config, { contract, control, keys, scenarios, log, packages });
  const certificates = new Certificates({ ...config.tls, folder: config.data }, log.warn);
  const sources = { fixtures, scenarios, openDatabase: openerIn(packages) };
  const environments = await openEnvironments(config, log, sources, shared);
  if (shared.onCalled) await shared.explainer.begin(environments, contract);
  await warnOfUnknownNames(config, environments, log);
  await warnOfBrokenFiles(config, fixtures, scenarios, log);

  const simulator = { contract, environments, keys, ...helpers(contract, config, log, packages) };
  const { metrics, recorder, outgoing } = shared;
  const parts = { simulator, contract: control, fixtures, scenarios, certificates, log, metrics };
  const controls: Controls = { ...parts, token: config.controlToken, ...documentsOf(packages) };
  const sharedApis = await sharedApisOf({ controls, packages });
  const doors = doorsOf({ controls, packages, guard, shared: sharedApis }, config);
  return {
    ...doors,
    certificates,
    controls,
    recorder,
    answersAt: (address) => void (outgoing.ownAddress = address),
    isShared: environments.isShared,
    close: async () => {
      await outgoing.close(); // first, because their results are stored
      await environments.close();
    },
  };
}

/** Refuses to start if a webhook address may not be called or a signing secret is invalid. */
async function refuseBadReceivers(config: Config, control: Contract): Promise<void> {
  const { webhooks, webhookSecret, webhookAllow, proxyTo } = config;
  const isUsual = webhookSecret === DEFAULTS.webhookSecret;
  const isPlain = [webhooks, webhookAllow, proxyTo].every(({ length }) => length === 0);
  if (isUsual && isPlain) return;
  const { checkReceivers } = await import('./webhooks/allowed-hosts.ts');
  checkReceivers(config, control);
}

/** Finds what the package for databases adds. */
function loadDatabase(packages: readonly Part[]): Promise<DatabasePart> {
  const load = packages.find(({ database }) => database)?.database;
  if (!load) throw new ConfigError('--store: this build of Understudy cannot use a database');
  return load();
}

const openerIn =
  (packages: readonly Part[]): OpenDatabase =>
  async (url, settings) =>
    (await loadDatabase(packages)).openDatabase(url, settings);

async function sharedApisOf({
  controls,
  packages,
}: Pick<AppParts, 'controls' | 'packages'>): Promise<SharedApis | undefined> {
  if (!controls.simulator.environments.isShared) return undefined;
  const { SharedCalls } = await loadDatabase(packages);
  return new SharedCalls(controls);
}

function doorsOf(parts: Omit<AppParts, 'rpc'>, config: Config) {
  const rpc = createRpc(parts.controls, config, parts.shared);
  return { app: createApp({ ...parts, rpc }, config), rpc };
}

interface Basis {
  contract: Contract;
  control: Contract;
  keys: Keys;
  scenarios: () => Promise<ScenarioCatalog>;
  log: Log;
  packages: readonly Part[];
}

function sharedOf(config: Config, { contract, control: rows, keys, scenarios, log, packages }: Basis) {
  const { report: files, stepSummary, journal, history, autoLogin, webhookAllow: allow } = config;
  const report = reporter(log);
  const metrics = new Metrics();
  const kinds = packages.flatMap(({ calls = [] }) => calls);
  const explainer = new Explainer();
  const recorder =
    files.length > 0 || stepSummary !== undefined
      ? new CallRecorder(journal.redact, explainer.whyOf)
      : undefined;
  const logCall = callLog(log, explainer.whyOf);
  const logAndRecord: OnCalled = (entry, environment) => {
    logCall?.(entry, environment);
    recorder?.record(entry, environment);
  };
  return {
    metrics,
    schemas: new SchemaChecks(),
    rows,
    journal,
    consequences: [
      giveRolesOfGroups,
      endSessionsOfFormerMembers,
      callBackChannelLogout,
      logAbandonedSignIn,
      recordCausedEvents,
    ],
    history,
    autoLogin,
    providerAddresses: readProviderAddresses(config.proxyTo),
    webhooks: { urls: config.webhooks, secret: config.webhookSecret },
    readScenario: async (copy: ScenarioCopy) => (await scenarios()).library.readCopy(copy),
    outgoing: new OutgoingCalls({ keys, contract, allow, report, metrics, kinds }),
    report,
    warn: log.warn,
    explainer,
    onCalled: recorder ? logAndRecord : logCall,
    recorder,
  };
}

function fixtureFolderOf(
  { fixture, fixtureFolders }: Config,
  contract: Contract,
  proven: ProvenFixtures,
): FixtureFolder {
  const folders = new FixtureFolders(fixtureFolders, join(PACKAGE_ROOT, 'fixtures'), proven);
  return new FixtureFolder({ folders, contract }, fixture, new Clock().now());
}

const documentsOf = (packages: readonly Part[]) => ({
  documents: createDocuments(),
  version: readVersion(),
  added: joined(packages.map(({ control }) => control)),
});

const joined = <T>(parts: readonly T[]): NonNullable<T> => Object.assign({}, ...parts);

const helpers = (
  contract: Contract,
  { webhookAllow, strict }: Config,
  log: Log,
  packages: readonly Part[],
) => ({
  strict,
  handlers: new Handlers({
    services: joined(packages.map(({ services }) => services)),
    links: joined(packages.map(({ links }) => links)),
  }),
  ...callsOut(contract, webhookAllow),
  report: reporter(log),
});

/** What operations need to call others before they answer. The code is loaded at the first such call. */
function callsOut(contract: Contract, allow: readonly string[]) {
  let hosts: Promise<AllowedHosts> | undefined;
  let interceptors: Promise<Interceptors> | undefined;
  const allowedHosts = () => (hosts ??= openHosts(allow));
  return {
    allowedHosts,
    interceptors: () => (interceptors ??= openInterceptors(contract, allowedHosts())),
  };
}

async function openHosts(allow: readonly string[]): Promise<AllowedHosts> {
  const { AllowedHosts } = await import('./webhooks/allowed-hosts.ts');
  return new AllowedHosts(allow);
}

async function openInterceptors(contract: Contract, hosts: Promise<AllowedHosts>): Promise<Interceptors> {
  const { Interceptors } = await import('./interceptors/interceptors.ts');
  return new Interceptors(contract, await hosts);
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
