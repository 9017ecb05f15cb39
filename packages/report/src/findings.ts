import { existsSync } from 'node:fs';
import { join, relative } from 'node:path';
import {
  type Figure,
  type CoveredRule,
  ruleTitle,
  shortfall,
  unusedAmong,
} from '@understudy/core/coverage/report';
import { PACKAGE_ROOT, readRegularFile } from '@understudy/text/files';
import { ScenarioText } from '@understudy/core/scenarios/scenario-text';
import { given, isObject } from '@understudy/text/json';
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
    ...rules(report),
    ...requests(report),
    ...answers(report),
    ...(limit ? coverage(report, limit) : []),
  ];
}

export const unusedRules = ({ coverage }: RunReport): CoveredRule[] =>
  unusedAmong(coverage.rules, ({ fired }) => fired > 0, isInPackage);

const rules = (report: RunReport): Finding[] =>
  unusedRules(report).map((rule) => ({
    kind: 'unused rule',
    subject: ruleTitle(rule),
    message: `${ruleTitle(rule)}, on ${typeof rule.on === 'string' ? rule.on : JSON.stringify(rule.on)}, was loaded and never applied`,
    ...placeOfRule(rule),
  }));

/** A report names files of the package by their path in it. */
const isInPackage = (file: string) => !existsSync(file) && existsSync(join(PACKAGE_ROOT, file));

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
  return { file: inside.startsWith('..') ? file : inside, ...given({ line }) };
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

/** GitHub shows so many warnings of a step. */
const MAX_WARNINGS = 10;

/** Workflow commands of GitHub Actions: an error for coverage under the limit, and warnings. */
export function githubAnnotations(report: RunReport, limit?: CoverageLimit): string {
  const annotations = findingsIn(report, limit).map(({ kind, message, file, line }): Annotation => ({
    level: kind === 'coverage' ? 'error' : 'warning',
    title: TITLES[kind],
    message,
    ...given({ file, line }),
  }));
  return annotationCommands(annotations);
}

export interface Annotation {
  level: 'error' | 'warning';
  title: string;
  message: string;
  file?: string;
  line?: number;
}

/** The commands that make annotations: all errors, and as many warnings as GitHub shows. The others are plain lines. */
export function annotationCommands(annotations: readonly Annotation[]): string {
  const warnings = annotations.filter(({ level }) => level === 'warning');
  const errors = annotations.filter(({ level }) => level === 'error');
  const further = warnings.slice(MAX_WARNINGS);
  const lines = [
    ...errors.map(commandOf),
    ...warnings.slice(0, MAX_WARNINGS).map(commandOf),
    ...(further.length > 0 ? [`${further.length} more, which GitHub does not show as annotations:`] : []),
    ...further.map(({ message }) => `  ${printable(message)}`),
  ];
  return lines.map((line) => `${line}\n`).join('');
}

const TITLES: Readonly<Record<Finding['kind'], string>> = {
  'unused rule': 'A scenario rule never applied',
  request: 'A request broke the contract',
  answer: 'A scripted answer broke the contract',
  coverage: 'Coverage is under the limit',
};

function commandOf({ level, title, message, file, line }: Annotation): string {
  const properties = Object.entries({ file, line, title: `Understudy: ${title}` })
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}=${escapeProperty(String(value))}`);
  return `::${level} ${properties.join(',')}::${escapeData(message)}`;
}

const escapeData = (text: string) =>
  text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');

const escapeProperty = (text: string) => escapeData(text).replaceAll(':', '%3A').replaceAll(',', '%2C');

/** A runner takes lines that begin with `::` for commands, and a terminal takes control characters for its own. */
export const printable = (text: string) => text.replace(/\p{Cc}/gu, '?');
