import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { operationsOf } from '../contract/bad-requests.ts';
import { blocksOf, placeOf, runBlocks, type Block } from './pages.ts';
import { expectedStatuses } from './statuses.mjs';

const operations = operationsOf('control').filter(({ id }) => !id.endsWith('2'));

/** The calls of a block, each from `curl` to its status comment. */
const callsIn = ({ text }: Block) =>
  Array.from(text.matchAll(/\bcurl .*?# \d{3}(,[^\n]*)?$/gms), ([call]) => call);

/** The control operation that an example calls; undefined for an API call. */
function operationOf(call: string): string | undefined {
  const [, written = ''] =
    /(?:\$CONTROL|\/_control\/v1|(?=\/_control\/metrics))(\/[^\s"?|)]*)/.exec(withVariables(call)) ?? [];
  const [, verb = / -d/.test(call) ? 'POST' : 'GET'] = / -X (\w+)/.exec(call) ?? [];
  const fitting = operations.filter(
    ({ verb: own, template }) => own === verb.toLowerCase() && patternOf(template).test(written),
  );
  return fitting.toSorted((a, b) => variablesIn(a.template) - variablesIn(b.template))[0]?.id;
}

/** Replaces a variable such as `ACME=$CONTROL/state/…`, which an earlier example sets. */
function withVariables(call: string): string {
  const text = runBlocks()
    .map((block) => block.text)
    .join('\n');
  return Array.from(text.matchAll(/^(\w+)=(\$CONTROL\S+)$/gm)).reduce(
    (result, [, name, value]) => result.replace(`$${name}`, () => value!),
    call,
  );
}

const patternOf = (template: string) =>
  new RegExp(
    `^${template
      .replace('/_control/v1', '')
      .replaceAll('.', '\\.')
      .replace(/\{\w+\}/g, '[^/]+')}$`,
  );

const variablesIn = (template: string) => template.split('{').length;

describe('the examples in README.md and docs/', () => {
  const shown = new Set(runBlocks().flatMap(callsIn).map(operationOf));

  it.each(operations)('call $id', ({ id }) => {
    expect(shown).toContain(id);
  });

  it('have the status of each call', () => {
    const unsaid = runBlocks().filter((block) => {
      const calls = block.text.replace(/^(?:\s*#|alias ).*$/gm, '').match(/\bcurl /g)?.length ?? 0;
      return calls !== expectedStatuses(block).length;
    });

    expect(unsaid.map(placeOf)).toEqual([]);
  });

  it('have the content type of each body that goes to the control API', () => {
    const untyped = runBlocks()
      .flatMap(callsIn)
      .filter((call) => / (-d|--data-binary) /.test(call) && operationOf(call) !== undefined)
      .filter((call) => !/-H "(\$JSON|content-type: )/.test(call));

    expect(untyped).toEqual([]);
  });

  it('have a reason when they are not run', () => {
    const left = [...blocksOf('sh'), ...blocksOf('ts')].filter(({ reason }) => reason !== undefined);

    expect(left.filter(({ reason }) => !/^\S.{5,}/.test(reason!)).map(placeOf)).toEqual([]);
  });

  it.each(blocksOf('yaml').map((block) => [placeOf(block), block.text]))(
    'include %s, which is valid YAML',
    (_, text) => {
      expect(parse(text)).toBeTypeOf('object');
    },
  );

  it.each(blocksOf('json').map((block) => [placeOf(block), block.text]))(
    'include %s, which is valid JSON',
    (_, text) => {
      expect(JSON.parse(text)).toBeTypeOf('object');
    },
  );
});
