import { isObject, parseJson } from '@understudy/text/json';
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
    file = parseJson(text);
  } catch (thrown) {
    throw new ProbeError(`${name} is no JSON: ${(thrown as SyntaxError).message}`);
  }
  const isWhole = isObject(file) && file['format'] === 1 && Array.isArray(file['verdicts']);
  if (!isWhole || !(file as unknown as AnswerFile).verdicts.every(isVerdict))
    throw new ProbeError(`${name} is no answer file of understudy probe --write-report`);
  return file as unknown as AnswerFile;
}

const isVerdict = (value: unknown) =>
  isObject(value) &&
  typeof value['rule'] === 'string' &&
  VERDICTS.includes(value['verdict']) &&
  Array.isArray(value['differences']);

/** The rules of the ledger by id. */
export type Ledger = Readonly<Record<string, { rule: string }>>;

/** What one environment answered. */
interface Answered extends Pick<AnswerFile, 'service' | 'date' | 'version'> {
  differences: readonly string[];
}

/** What answers mean for an entry of the ledger. */
export interface LedgerChange {
  rule: string;
  /** `contradictory`: some environments follow the rule and some do not. `no rule`: the ledger has no such entry. */
  becomes: 'compared' | 'wrong' | 'contradictory' | 'no rule';
  /** What Understudy does. */
  does: string;
  same: readonly Answered[];
  different: readonly Answered[];
}

/** The entries that the answers would change, in the order of their ids. Probes that have not run change nothing. */
export function ledgerChanges(files: readonly AnswerFile[], ledger: Ledger): LedgerChange[] {
  const found = new Map<string, { same: Answered[]; different: Answered[] }>();
  for (const { service, date, version, verdicts } of files)
    for (const { rule, verdict, differences } of verdicts) {
      if (verdict === 'not run') continue;
      const answers = found.get(rule) ?? { same: [], different: [] };
      found.set(rule, answers);
      const known = answers[verdict].some((each) => each.service === service && each.date === date);
      if (!known) answers[verdict].push({ service, date, version, differences });
    }
  return [...found]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([rule, answers]) => ({
      rule,
      becomes: Object.hasOwn(ledger, rule) ? meaningOf(answers) : 'no rule',
      does: Object.hasOwn(ledger, rule) ? ledger[rule]!.rule : '',
      ...answers,
    }));
}

function meaningOf({ same, different }: Pick<LedgerChange, 'same' | 'different'>): LedgerChange['becomes'] {
  if (same.length > 0 && different.length > 0) return 'contradictory';
  return same.length > 0 ? 'compared' : 'wrong';
}

/** For a terminal. `version`: of this Understudy. */
export function changeLines(
  { rule, becomes, does, same, different }: LedgerChange,
  version: string,
): string[] {
  const line = (text: string, { service, date, version: asked }: Answered) =>
    `  ${text} ${service} on ${date}${asked === version ? '' : `, asked by Understudy ${asked}`}`;
  return [
    becomes === 'no rule'
      ? `${rule}: this version of Understudy has no such rule`
      : `${rule}: unknown → ${becomes}`,
    ...(does === '' ? [] : [`  Understudy: ${does}`]),
    ...same.map((each) => line('same:', each)),
    ...different.flatMap((each) => [
      line('different:', each),
      ...each.differences.map((difference) => `    ${difference}`),
    ]),
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
