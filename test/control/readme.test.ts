import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { PACKAGE_ROOT } from '../../src/package-root.ts';
import { operationsOf } from '../contract/bad-requests.ts';

/** Calls that the section on the control API has no example of yet. */
const TO_COME: readonly string[] = [];

const readme = readFileSync(join(PACKAGE_ROOT, 'README.md'), 'utf8');
const [, section = ''] = /^## Control$(.*?)^## /ms.exec(readme) ?? [];
const shell = Array.from(section.matchAll(/^```sh$(.*?)^```$/gms), ([, text]) => text).join('\n');

/** Each call of the examples, from `curl` to the status that it gives. */
const examples = Array.from(shell.matchAll(/\bcurl .*?# \d{3}(,[^\n]*)?$/gms), ([text]) => text);
const operations = operationsOf('control').filter(({ id }) => !id.endsWith('2'));

/** The control call that an example makes; undefined when it calls the service. */
function operationOf(example: string): string | undefined {
  const [, written = ''] = /\$(?:CONTROL|\{CONTROL\})(\/[^\s"?|)]*)/.exec(withVariables(example)) ?? [];
  const [, verb = / -d/.test(example) ? 'POST' : 'GET'] = / -X (\w+)/.exec(example) ?? [];
  const fitting = operations.filter(
    ({ verb: own, template }) => own === verb.toLowerCase() && patternOf(template).test(written),
  );
  return fitting.toSorted((a, b) => variablesOf(a.template) - variablesOf(b.template))[0]?.id;
}

/** `ACME=$CONTROL/state/…` in an example stands for its value in those after it. */
function withVariables(example: string): string {
  const values = shell.matchAll(/^(\w+)=(\$CONTROL\S+)$/gm);
  return Array.from(values).reduce(
    (text, [, name, value]) => text.replace(`$${name}`, () => value!),
    example,
  );
}

const patternOf = (template: string) =>
  new RegExp(
    `^${template
      .replace('/_control/v1', '')
      .replaceAll('.', '\\.')
      .replace(/\{\w+\}/g, '[^/]+')}$`,
  );

const variablesOf = (template: string) => template.split('{').length;

describe("the README's section on the control API", () => {
  const shown = new Set(examples.map(operationOf));

  it.each(operations.filter(({ id }) => !TO_COME.includes(id)))('has an example of $id', ({ id }) => {
    expect(shown).toContain(id);
  });

  it.each(TO_COME)('has no example of %s yet', (id) => {
    expect(shown).not.toContain(id);
  });
});
