import { FileError, readRegularFile } from '@understudy/text/files';
import { isObject } from '@understudy/text/json';
import type { CaseResult, TestVerdict } from '../run-batch.ts';
import type { VerdictName } from '../verdict.ts';

/** What a sweep has found. It is also what a later sweep continues from, or is compared with. */
export interface SweepReport {
  format: 1;
  /** Of Understudy. */
  version: string;
  command: readonly string[];
  seed: number;
  /** The number of tests that call the service. */
  tests: number;
  /** By number. */
  results: readonly CaseResult[];
  /** How many cases were not run. */
  left: number;
}

/** What one operation does wrong, with the failures that show it. */
export interface Finding {
  operation: string;
  verdict: VerdictName;
  /** `fault`: it must be mended; `accepted`: a line of a file accepts it; `known`: the baseline has it; `expected success`. */
  kind: FindingKind;
  shown: readonly Shown[];
}

export type FindingKind = 'fault' | 'known' | 'accepted' | 'expected success';

interface Shown {
  result: CaseResult;
  verdict: TestVerdict;
}

const KINDS: readonly FindingKind[] = ['fault', 'known', 'accepted', 'expected success'];

/** Faults first, each kind in the order of the cases. */
export function findingsOf({ results }: Pick<SweepReport, 'results'>): Finding[] {
  const findings = new Map<string, Finding & { shown: Shown[] }>();
  for (const result of results)
    for (const verdict of result.verdicts) {
      const kind = kindOf(verdict);
      if (!kind) continue;
      const { operation } = result;
      const key = `${operation} ${verdict.name} ${kind}`;
      const known = findings.get(key);
      if (known) known.shown.push({ result, verdict });
      else findings.set(key, { operation, verdict: verdict.name, kind, shown: [{ result, verdict }] });
    }
  return [...findings.values()].toSorted((a, b) => KINDS.indexOf(a.kind) - KINDS.indexOf(b.kind));
}

export function kindOf({ isFault, name, accepted, isKnown }: TestVerdict): FindingKind | undefined {
  if (!isFault) return name === 'broken' ? 'expected success' : undefined;
  if (accepted !== undefined) return 'accepted';
  return isKnown ? 'known' : 'fault';
}

export const failuresIn = (shown: readonly Shown[]): string =>
  [...new Set(shown.map(({ result }) => result.failure))].join(', ');

/** Throws FileError. */
export function readReport(file: string): SweepReport {
  const wrong = () =>
    new FileError(file, 'this is no report that understudy sweep has written as JSON (--report FILE.json)');
  try {
    const value: unknown = JSON.parse(readRegularFile(file));
    if (!isObject(value) || value['format'] !== 1 || !Array.isArray(value['results'])) throw wrong();
    return value as unknown as SweepReport;
  } catch (thrown) {
    throw thrown instanceof SyntaxError ? wrong() : thrown;
  }
}
