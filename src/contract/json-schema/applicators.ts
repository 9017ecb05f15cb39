import { isObject } from '@understudy/text/json';
import { has, reportDependent, type Stated } from './assertions.ts';
import type { Check, Part, Run } from './run.ts';

/** What keywords with schemas or patterns in them ask of the reader. */
export interface Reading {
  readonly part: (schema: unknown) => Part;
  readonly parts: (schemas: unknown) => Part[];
  readonly partsByName: (schemas: unknown) => [string, Part][];
  readonly pattern: (source: string) => Pattern;
}

/** Whether some part of the text matches. */
export type Pattern = (run: Run, text: string) => boolean;

type Applicator = (stated: Stated, reading: Reading) => Check;

const isList = (value: unknown): value is unknown[] => Array.isArray(value);

const allOf: Applicator = ({ wanted }, { parts }) => {
  const branches = parts(wanted);
  return (run, value, place) => {
    for (const branch of branches) run.branch(branch, value, place);
  };
};

const anyOf: Applicator = ({ keyword, wanted, schema }, { parts }) => {
  const branches = parts(wanted);
  return (run, value, place) => {
    const before = run.breaches.length;
    let isAny = false;
    // Each of them may have evaluated members that another keyword asks for.
    for (const branch of branches) {
      isAny = run.branch(branch, value, place) || isAny;
      if (isAny && !run.evaluated) break;
    }
    if (isAny) run.forget(before);
    else run.report(keyword, 'must match a schema in anyOf', schema, place);
  };
};

const oneOf: Applicator = ({ keyword, wanted, schema }, { parts }) => {
  const branches = parts(wanted);
  return (run, value, place) => {
    const before = run.breaches.length;
    let valid = 0;
    for (const branch of branches) {
      if (run.branch(branch, value, place)) valid += 1;
      if (valid > 1) break;
    }
    if (valid > 0) run.forget(before);
    if (valid !== 1) run.report(keyword, 'must match exactly one schema in oneOf', schema, place);
  };
};

const not: Applicator = ({ keyword, wanted, schema }, { part }) => {
  const refused = part(wanted);
  return (run, value, place) => {
    if (run.silently(() => run.branch(refused, value, place)))
      run.report(keyword, 'must NOT be valid', schema, place);
  };
};

const conditional: Applicator = ({ keyword, wanted, schema }, { part }) => {
  const condition = part(wanted);
  const [then, other] = ['then', 'else'].map((name) => (name in schema ? part(schema[name]) : undefined));
  return (run, value, place) => {
    const isMet = run.silently(() => run.branch(condition, value, place));
    const chosen = isMet ? then : other;
    if (chosen && !run.branch(chosen, value, place))
      run.report(keyword, `must match "${isMet ? 'then' : 'else'}" schema`, schema, place);
  };
};

const dependentSchemas: Applicator = ({ wanted }, { partsByName }) => {
  const branches = partsByName(wanted);
  return (run, value, place) => {
    if (!isObject(value)) return;
    run.spend(branches.length);
    for (const [name, branch] of branches) if (has(value, name)) run.branch(branch, value, place);
  };
};

/** A keyword of older dialects. Each of its members is a list of names, or a schema. */
const dependencies: Applicator = ({ keyword, wanted, schema }, { partsByName }) => {
  const given = Object.entries(wanted as object);
  const lists = given.filter((entry): entry is [string, string[]] => isList(entry[1]));
  const branches = partsByName(Object.fromEntries(given.filter(([, each]) => !isList(each))));
  return (run, value, place) => {
    if (!isObject(value)) return;
    run.spend(given.length);
    for (const [name, names] of lists)
      if (has(value, name)) reportDependent(run, { keyword, schema, place }, value, name, names);
    for (const [name, branch] of branches) if (has(value, name)) run.branch(branch, value, place);
  };
};

const propertyNames: Applicator = ({ keyword, wanted, schema }, { part }) => {
  const wantedOfName = part(wanted);
  return (run, value, place) => {
    if (!isObject(value)) return;
    const before = run.breaches.length;
    for (const name of run.namesOf(value)) {
      if (run.isEnough(before)) break;
      if (!run.branch(wantedOfName, name, place))
        run.report(keyword, `property name ${JSON.stringify(name)} must be valid`, schema, place);
    }
  };
};

const properties: Applicator = ({ wanted }, { partsByName }) => {
  const parts = partsByName(wanted);
  return (run, value, place) => {
    if (!isObject(value)) return;
    run.spend(parts.length);
    for (const [name, part] of parts) {
      if (!has(value, name)) continue;
      run.inside(part, value[name], place, name);
      run.evaluated?.names.add(name);
    }
  };
};

const patternProperties: Applicator = ({ wanted }, { partsByName, pattern }) => {
  const patterns = partsByName(wanted).map(([source, part]) => [pattern(source), part] as const);
  return (run, value, place) => {
    if (!isObject(value)) return;
    const before = run.breaches.length;
    for (const [matches, part] of patterns)
      for (const name of run.namesOf(value)) {
        if (run.isEnough(before)) return;
        if (!matches(run, name)) continue;
        run.inside(part, value[name], place, name);
        run.evaluated?.names.add(name);
      }
  };
};

/** Checks the members that `isOther` names. A schema that allows nothing is reported by the members' names. */
function checkOthers(
  { keyword, schema, wanted }: Stated,
  part: Part,
  message: string,
  isOther: (run: Run, name: string) => boolean,
): Check {
  return (run, value, place) => {
    if (!isObject(value)) return;
    const before = run.breaches.length;
    for (const name of run.namesOf(value)) {
      if (run.isEnough(before)) break;
      run.spend(1);
      if (!isOther(run, name)) continue;
      if (wanted === false) run.report(keyword, message, schema, place, name);
      else run.inside(part, value[name], place, name);
      run.evaluated?.names.add(name);
    }
  };
}

const additionalProperties: Applicator = (stated, { part, pattern }) => {
  const { properties: named = {}, patternProperties: patterned = {} } = stated.schema;
  const patterns = Object.keys(patterned as object).map(pattern);
  return checkOthers(
    stated,
    part(stated.wanted),
    'must NOT have additional properties',
    (run, name) => !has(named as object, name) && !patterns.some((matches) => matches(run, name)),
  );
};

const unevaluatedProperties: Applicator = (stated, { part }) =>
  checkOthers(
    stated,
    part(stated.wanted),
    'must NOT have unevaluated properties',
    (run, name) => !run.evaluated?.names.has(name),
  );

const prefixItems: Applicator = ({ wanted }, { parts }) => {
  const prefix = parts(wanted);
  return (run, value, place) => {
    if (!isList(value)) return;
    const count = Math.min(prefix.length, value.length);
    for (let index = 0; index < count; index += 1) run.inside(prefix[index]!, value[index], place, index);
    if (run.evaluated) run.evaluated.items = Math.max(run.evaluated.items, count);
  };
};

const items: Applicator = ({ keyword, wanted, schema }, { part }) => {
  const item = part(wanted);
  const prefix = isList(schema['prefixItems']) ? schema['prefixItems'].length : 0;
  return (run, value, place) => {
    if (!isList(value)) return;
    if (run.evaluated) run.evaluated.items = value.length;
    if (wanted === false && value.length > prefix) {
      run.report(keyword, `must NOT have more than ${prefix} items`, schema, place);
      return;
    }
    const before = run.breaches.length;
    for (let index = prefix; index < value.length && !run.isEnough(before); index += 1)
      run.inside(item, value[index], place, index);
  };
};

const contains: Applicator = ({ keyword, wanted, schema }, { part }) => {
  const item = part(wanted);
  const least = Number(schema['minContains'] ?? 1);
  const most = Number(schema['maxContains'] ?? Infinity);
  const limit = most === Infinity ? '' : ` and no more than ${most}`;
  return (run, value, place) => {
    if (!isList(value)) return;
    let count = 0;
    for (const [index, each] of value.entries()) {
      if (!run.silently(() => run.inside(item, each, place, index))) continue;
      count += 1;
      run.evaluated?.indexes.add(index);
      if (count > most || (count >= least && most === Infinity && !run.evaluated)) break;
    }
    if (count < least || count > most)
      run.report(keyword, `must contain at least ${least}${limit} valid item(s)`, schema, place);
  };
};

const unevaluatedItems: Applicator = ({ keyword, wanted, schema }, { part }) => {
  const item = part(wanted);
  return (run, value, place) => {
    if (!isList(value) || !run.evaluated) return;
    const { items: known, indexes } = run.evaluated;
    const before = run.breaches.length;
    for (let index = known; index < value.length && !run.isEnough(before); index += 1) {
      run.spend(1);
      if (indexes.has(index)) continue;
      if (wanted !== false) run.inside(item, value[index], place, index);
      else
        run.report(keyword, 'is an item that no part of the schema allows', schema, {
          step: index,
          outer: place,
        });
    }
    run.evaluated.items = value.length;
  };
};

const pattern: Applicator = ({ keyword, wanted, schema }, reading) => {
  const matches = reading.pattern(wanted as string);
  return (run, value, place) => {
    if (typeof value === 'string' && !matches(run, value))
      run.report(keyword, `must match pattern "${String(wanted)}"`, schema, place);
  };
};

/** The keywords that check a value, its members or its items by other schemas or by patterns. */
export const APPLICATORS: Readonly<Record<string, Applicator>> = {
  pattern,
  not,
  anyOf,
  oneOf,
  allOf,
  if: conditional,
  propertyNames,
  properties,
  patternProperties,
  additionalProperties,
  dependencies,
  dependentSchemas,
  prefixItems,
  items,
  contains,
  unevaluatedItems,
  unevaluatedProperties,
};
