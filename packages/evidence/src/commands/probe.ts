import { createDocuments, readVersion } from '@understudy/core/contract/documents';
import { readRegularFile, writeTextFile } from '@understudy/text/files';
import {
  changeLines,
  ledgerChanges,
  readAnswerFile,
  verdictLines,
  type AnswerFile,
  type Ledger,
  type LedgerChange,
} from '../probes/answers.ts';
import { planLines, planOf } from '../probes/plan.ts';
import { shippedProbes } from '../probes/probe.ts';
import { runProbes, type Target, type Verdict } from '../probes/run.ts';
import { machineTime } from '@understudy/core/state/clock';
import type { Terminal } from '@understudy/core/parts';
import { UsageError } from '@understudy/core/cli/usage-error';

export interface ProbeOptions {
  against: string;
  clientId: string;
  clientSecret: string;
  only?: string;
  yes?: true;
  /** In milliseconds. */
  pace: number;
  limit: number;
  writeReport?: string;
  apply?: string[];
  json?: true;
}

/** `understudy probe`: asks a service whether it does what Understudy's unverified rules say. */
export async function probe(
  options: ProbeOptions,
  terminal: Terminal,
  interruption: () => AbortSignal,
): Promise<void> {
  const print = (lines: readonly string[]) => terminal.out(lines.map((line) => `${line}\n`).join(''));
  if (options.apply !== undefined) return apply(options.apply, options.json === true, terminal, print);
  const probes = shippedProbes(options.only);
  const now = machineTime();
  const target = targetOf(options, now, interruption());
  if (!options.yes) {
    print(planLines(planOf(probes), target.run));
    return terminal.err('Nothing was called. Add --yes to run the probes.\n');
  }
  const verdicts = await runProbes(probes, target, (verdict) => {
    if (!options.json) print(verdictLines(verdict));
  });
  const date = new Date(now).toISOString().slice(0, 10);
  const file: AnswerFile = { format: 1, version: readVersion(), service: target.url, date, verdicts };
  if (options.json) print([JSON.stringify(file)]);
  if (options.writeReport !== undefined)
    writeTextFile(options.writeReport, `${JSON.stringify(file, null, 2)}\n`);
  terminal.err(`${summaryOf(verdicts, probes.length)}\n`);
  if (verdicts.length < probes.length || verdicts.some(isBad)) terminal.fail();
}

/** Shows what the answers in these files mean for the ledger. */
function apply(
  files: readonly string[],
  asJson: boolean,
  terminal: Terminal,
  print: (lines: readonly string[]) => void,
): void {
  const { 'x-unknown-rules': ledger } = createDocuments().service() as { 'x-unknown-rules': Ledger };
  const answers = files.map((file) => readAnswerFile(file, readRegularFile(file)));
  const changes = ledgerChanges(answers, ledger);
  if (asJson) print([JSON.stringify({ changes })]);
  else print(changes.flatMap((change) => changeLines(change, readVersion())));
  const count = (wanted: LedgerChange['becomes']) =>
    changes.filter(({ becomes }) => becomes === wanted).length;
  const notRun = answers.flatMap(({ verdicts }) => verdicts.filter(({ verdict }) => verdict === 'not run'));
  terminal.err(
    `${count('compared')} compared, ${count('wrong')} wrong, ${count('contradictory')} contradictory; ` +
      `${count('no rule')} without an entry, ${notRun.length} not run. No file was changed.\n`,
  );
}

const isBad = ({ verdict, left }: Verdict) => verdict !== 'same' || left.length > 0;

function targetOf(
  { against, clientId, clientSecret, pace, limit }: ProbeOptions,
  now: number,
  signal: AbortSignal,
): Target {
  if (!/^https?:\/\/[^/?#]+\/?$/.test(against))
    throw new UsageError(
      `--against must be the address of an environment, such as https://acme.scalekit.dev, not ${against}`,
    );
  const run = now.toString(36);
  return {
    url: against.replace(/\/$/, ''),
    clientId,
    clientSecret,
    run,
    prefix: `understudy-${run}`,
    pace,
    limit,
    signal,
    fetch,
    wait: (milliseconds) => new Promise((resolve) => void setTimeout(resolve, milliseconds)),
  };
}

function summaryOf(verdicts: readonly Verdict[], asked: number): string {
  const count = (wanted: Verdict['verdict']) => verdicts.filter(({ verdict }) => verdict === wanted).length;
  const stopped = verdicts.length < asked ? `; stopped after ${verdicts.length} of ${asked}` : '';
  return `${count('same')} same, ${count('different')} different, ${count('not run')} not run${stopped}`;
}
