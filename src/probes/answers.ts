import { isObject } from '../text/json.ts';
import { ProbeError } from './probe.ts';
import type { Verdict } from './run.ts';

/** What a run has found, as a file that can be sent to Understudy's authors. It holds no secret and no answer. */
export interface AnswerFile {
  format: 1;
  /** Of Understudy, whose rules were asked about. */
  version: string;
  /** The service that was asked. */
  service: string;
  /** When, as an ISO date. */
  date: string;
  verdicts: Verdict[];
}

const VERDICTS: readonly unknown[] = ['same', 'different', 'not run'] satisfies Verdict['verdict'][];

/** Throws ProbeError. */
export function readAnswerFile(name: string, text: string): AnswerFile {
  let file: unknown;
  try {
    file = JSON.parse(text);
  } catch (thrown) {
    throw new ProbeError(`${name} is no JSON`, { cause: thrown });
  }
  const isWhole = isObject(file) && file['format'] === 1 && Array.isArray(file['verdicts']);
  if (!isWhole || !(file as unknown as AnswerFile).verdicts.every(isVerdict))
    throw new ProbeError(`${name} is no answer file of understudy probe --write-report`);
  return file as unknown as AnswerFile;
}

const isVerdict = (value: unknown) =>
  isObject(value) && typeof value['rule'] === 'string' && VERDICTS.includes(value['verdict']);

/** What the answers mean for the ledger: a line for each entry that they would change. */
export function ledgerChanges({ service, date, verdicts }: AnswerFile): string[] {
  const same = verdicts.filter(({ verdict }) => verdict === 'same');
  const different = verdicts.filter(({ verdict }) => verdict === 'different');
  return [
    ...same.map(({ rule }) => `${rule}: unknown → proven by ${service} on ${date}`),
    ...different.map(({ rule, differences }) => `${rule}: unknown → wrong: ${differences.join('; ')}`),
  ];
}

/** For a terminal: a line a probe, the differences below it. */
export function verdictLines({ rule, verdict, differences, why, left }: Verdict): string[] {
  return [
    `${verdict.padEnd(9)}  ${rule}${why === undefined ? '' : `: ${why}`}`,
    ...differences.map((each) => `           ${each}`),
    ...left.map((each) => `           left behind: ${each}`),
  ];
}
