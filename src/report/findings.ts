import { ruleTitle, shortfall } from '../coverage/shortfall.ts';
import type { Figure } from '../coverage/report.ts';
import { placeOfRule } from './rule-place.ts';
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
