import { existsSync } from 'node:fs';
import { relative } from 'node:path';
import type { CoveredRule } from '../coverage/report.ts';
import { readRegularFile } from '../files.ts';
import { ScenarioText } from '../scenarios/scenario-text.ts';
import { isObject } from '../text/json.ts';

/** The file of a rule, and its line if the file has the rule itself: scenarios may include rules of other files. */
export function placeOfRule({ file, rule, on }: CoveredRule): { file?: string; line?: number } {
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
