import { existsSync } from 'node:fs';
import { relative } from 'node:path';
import type { Figure, CoveredRule } from '../coverage/report.ts';
import { ruleTitle, shortfall } from '../coverage/shortfall.ts';
import { readRegularFile } from '../files.ts';
import { ScenarioText } from '../scenarios/scenario-text.ts';
import { isObject } from '../text/json.ts';
import type { RunReport } from './run-report.ts';

export type FindingKind = 'unused rule' | 'request' | 'answer' | 'coverage';

/** Something in a run that a reader should look at. */
export interface Finding {
  kind: FindingKind;
  /** The rule, the operation or the percentage that it is about. */
  subject: string;
  message: string;
  file?: string;
  /** Starts at 1. */
  line?: number;
}

/** The wanted percentage of a figure. */
export interface CoverageLimit {
  of: Figure;
  failUnder: number;
}

export function findingsIn(report: RunReport, limit?: CoverageLimit): Finding[] {
  return [
    ...unusedRules(report),
    ...requests(report),
    ...answers(report),
    ...(limit ? coverage(report, limit) : []),
  ];
}

const unusedRules = ({ coverage }: RunReport): Finding[] =>
  coverage.rules
    .filter(({ fired }) => fired === 0)
    .map((rule) => ({
      kind: 'unused rule',
      subject: ruleTitle(rule),
      message: `${ruleTitle(rule)}, on ${typeof rule.on === 'string' ? rule.on : JSON.stringify(rule.on)}, was loaded and never applied`,
      ...placeOfRule(rule),
    }));

const requests = ({ violations }: RunReport): Finding[] =>
  violations.map(({ operation, field, description, times, example }) => ({
    kind: 'request',
    subject: operation,
    message: `${operation}: ${field}: ${description} (${counted(times)}, such as ${example.id} in ${example.environment})`,
  }));

const answers = ({ coverage }: RunReport): Finding[] =>
  coverage.outside.answers.map(({ operation, status, seen }) => ({
    kind: 'answer',
    subject: operation,
    message: `${operation}: a scenario answered ${status} outside the contract (${counted(seen)})`,
  }));

function coverage({ coverage: report }: RunReport, { of, failUnder }: CoverageLimit): Finding[] {
  const message = shortfall(report, of, failUnder);
  return message === undefined
    ? []
    : [{ kind: 'coverage', subject: coverageSubject({ of, failUnder }), message }];
}

export const coverageSubject = ({ of, failUnder }: CoverageLimit) => `${failUnder} % of ${of}`;

const counted = (times: number) => (times === 1 ? 'once' : `${times} times`);

/** The file of a rule, and its line if the file has the rule itself: scenarios may include rules of other files. */
function placeOfRule({ file, rule, on }: CoveredRule): { file?: string; line?: number } {
  if (file === undefined || !existsSync(file)) return {}; // a shipped scenario, or the file of another machine
  const line = lineOf(file, rule, on);
  const inside = relative('.', file);
  return { file: inside.startsWith('..') ? file : inside, ...(line !== undefined && { line }) };
}

function lineOf(file: string, rule: number, on: unknown): number | undefined {
  try {
    const text = new ScenarioText(readRegularFile(file), file);
    const rules = isObject(text.value) ? text.value['rules'] : undefined;
    const written: unknown = Array.isArray(rules) ? rules[rule] : undefined;
    const isSame = isObject(written) && JSON.stringify(written['on']) === JSON.stringify(on);
    return isSame ? text.locate(['rules', rule], 'value').line : undefined;
  } catch {
    return undefined; // the file is gone or was changed
  }
}
