import { extname, join } from 'node:path';
import { mkdirSync } from 'node:fs';
import { Contract } from '@understudy/core/contract/contract';
import { createDocuments, readContract, readVersion } from '@understudy/core/contract/documents';
import { contractDrift } from '../drift/contract-drift.ts';
import type { Comparison, DriftReport, Severity } from '../drift/difference.ts';
import { driftPage } from '../drift/drift-page.ts';
import { githubOfDrift, isSevere, junitOfDrift, textReport } from '../drift/drift-text.ts';
import { Ledger } from '../drift/ledger.ts';
import { probeDrift } from '../drift/probe-drift.ts';
import { proposalFor } from '../drift/proposal.ts';
import { publishedDocument, readPublishedDocument } from '../drift/published-document.ts';
import { recordingDrift } from '../drift/recording-drift.ts';
import { shapeDrift } from '../drift/shape-drift.ts';
import { FileError, isFolder, readRegularFile, writeTextFile } from '@understudy/text/files';
import { readAnswerFile } from '../probes/answers.ts';
import { readProbes, type Probe } from '../probes/probe.ts';
import { runProbes } from '../probes/run.ts';
import type { Exchange } from '../recordings/exchange.ts';
import { readRecording } from '../recordings/recording.ts';
import { readShape } from '../recordings/shape.ts';
import { machineTime } from '@understudy/core/state/clock';
import type { Terminal } from '@understudy/core/parts';
import { UsageError } from '@understudy/core/cli/usage-error';
import type { DRIFT_FORMATS } from './drift-command.ts';
import { openStage, stageAt } from './stage.ts';

type Format = (typeof DRIFT_FORMATS)[number];

export interface DriftOptions {
  contract?: string;
  against?: string;
  clientId: string;
  clientSecret: string;
  /** In milliseconds, between two calls of probes. */
  pace: number;
  fixture?: string;
  failOn: Severity;
  format?: Format;
  out?: string;
  propose?: string;
}

/** `understudy drift`: compares what was seen of a service with Understudy. */
export async function drift(
  source: string | undefined,
  options: DriftOptions,
  { out, err, fail }: Terminal,
  signal: AbortSignal,
): Promise<void> {
  const { found, exchanges, name } = await compare(source, options, signal);
  const report: DriftReport = { source: name, understudy: readVersion(), ...found };
  const { failOn, format = formatOf(options.out) } = options;
  const text = RENDERERS[format](report, failOn);
  if (options.out === undefined) out(text);
  else {
    writeTextFile(options.out, text);
    err(`the report is in ${options.out}\n`);
  }
  if (options.propose !== undefined) propose(options.propose, report, exchanges, err);
  if (report.findings.some((finding) => isSevere(finding, failOn))) fail();
}

interface Compared {
  name: string;
  found: Comparison & Pick<DriftReport, 'counted'>;
  exchanges: readonly Exchange[];
}

const contractOf = () => new Contract(readContract('openapi'));

async function compare(
  source: string | undefined,
  options: DriftOptions,
  signal: AbortSignal,
): Promise<Compared> {
  const { contract } = options;
  if ((source === undefined) === (contract === undefined))
    throw new UsageError(
      'name a recording, a shape or a file of probes, or with --contract a published document',
    );
  if (contract !== undefined) return compareDocument(contract);
  if (isFolder(source!)) return compareRecording(source!, options);
  const text = readRegularFile(source!);
  if (extname(source!) === '.json')
    return named(source!, 'probes', probeDrift(readAnswerFile(source!, text)));
  if (!/^\.ya?ml$/.test(extname(source!)))
    throw new UsageError(
      `${source} is no recording (a folder), no shape or probes (.yaml) and no answers of probes (.json)`,
    );
  // Probes are a list, and a shape is none.
  if (text.replaceAll(/^#.*$/gm, '').trimStart().startsWith('- '))
    return compareProbes(source!, readProbes(source!, text), options, signal);
  return named(source!, 'answers', shapeDrift(readShape(source!), contractOf(), ledgerOf()));
}

const named = (
  name: string,
  counted: string,
  found: Comparison,
  exchanges: readonly Exchange[] = [],
): Compared => ({
  name,
  found: { ...found, counted },
  exchanges,
});

const ledgerOf = () => new Ledger(createDocuments().service());

function compareDocument(file: string): Compared {
  if (/^[a-z]+:\/\//i.test(file)) throw new UsageError(`--contract must be a file: download ${file} first`);
  const theirs = readPublishedDocument(file, readRegularFile(file));
  const ours = publishedDocument('openapi.json', createDocuments().service());
  return named(file, 'operations', contractDrift(theirs, ours));
}

/** Two Understudys with different seeds, so that what is made up can be told from what is not. */
async function compareRecording(
  folder: string,
  { against, clientId, clientSecret, fixture }: DriftOptions,
): Promise<Compared> {
  const recording = readRecording(folder);
  if (recording.exchanges.length === 0) throw new UsageError(`${folder}: the recording has no calls`);
  const replay = { recording, contract: contractOf(), ledger: ledgerOf(), hasRows: fixture !== undefined };
  const { exchanges } = recording;
  const open = (seed: number) => openStage({ seed, fixture: fixture ?? 'empty' }, replay.contract);
  const variant = await open(2);
  const own = against === undefined ? await open(1) : undefined;
  try {
    const stage = own?.stage ?? stageAt({ url: against!, clientId, clientSecret }, replay.contract);
    const found = await recordingDrift({ ...replay, stage, variant: variant.stage });
    return named(folder, 'exchanges', found, exchanges);
  } finally {
    await own?.close();
    await variant.close();
  }
}

async function compareProbes(
  file: string,
  probes: readonly Probe[],
  { against, clientId, clientSecret, pace }: DriftOptions,
  signal: AbortSignal,
): Promise<Compared> {
  if (against === undefined)
    throw new UsageError(`${file} has probes: name with --against the service that they ask`);
  const now = machineTime();
  const run = now.toString(36);
  const wait = (milliseconds: number) =>
    new Promise<void>((resolve) => void setTimeout(resolve, milliseconds));
  const target = {
    url: against,
    clientId,
    clientSecret,
    run,
    prefix: `understudy-${run}`,
    pace,
    limit: Infinity,
    signal,
    fetch,
    wait,
  };
  const verdicts = await runProbes(probes, target, () => {});
  const date = new Date(now).toISOString().slice(0, 10);
  return named(file, 'probes', probeDrift({ service: against, date, verdicts }));
}

const FORMATS: Readonly<Record<string, Format>> = { '.html': 'html', '.xml': 'junit', '.json': 'json' };

const formatOf = (file = ''): Format => FORMATS[extname(file).toLowerCase()] ?? 'text';

const RENDERERS: Readonly<Record<Format, (report: DriftReport, failOn: Severity) => string>> = {
  text: textReport,
  json: (report) => `${JSON.stringify(report, undefined, 2)}\n`,
  junit: junitOfDrift,
  github: githubOfDrift,
  html: driftPage,
};

function propose(
  folder: string,
  { findings }: DriftReport,
  exchanges: readonly Exchange[],
  err: Terminal['err'],
): void {
  const { scenario, overlay, left } = proposalFor(findings, exchanges, contractOf());
  try {
    mkdirSync(folder, { recursive: true });
  } catch (thrown) {
    throw new FileError(folder, (thrown as Error).message);
  }
  for (const [name, text] of Object.entries({
    'as-recorded.yaml': scenario,
    'contract.overlay.yaml': overlay,
  })) {
    if (text === undefined) continue;
    writeTextFile(join(folder, name), text);
    err(`proposed: ${join(folder, name)}\n`);
  }
  if (scenario === undefined && overlay === undefined) err('nothing to propose\n');
  if (left.length > 0)
    err(`${left.length === 1 ? '1 difference is' : `${left.length} differences are`} in no proposal\n`);
}
