// Reads evidence/: which outside programs have called an operation, and where Understudy's behaviour rests on no source of
// the service. Complains of entries that do not fit the code.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';

const FOLDER = 'evidence';
const PROBES = 'probes';
/** In a comment: `Unverified (roles/absent-permission): …`. */
const MARK = /\bUnverified\b(?:[\s*/#]+\(([a-z0-9-]+\/[a-z0-9-]+)\))?/g;
const ID = /^[a-z0-9-]+\/[a-z0-9-]+$/;
const MEMBERS = ['id', 'rule', 'open', 'operations', 'sees', 'no_probe'];

/**
 * `operations` are the contract's, by id. Returns `{ operations, rules, complaints }`: what is known of each operation
 * (`programs` that called it, or `uncalled`, the reason why none did) and each rule with its `probe`, true or false.
 */
export function readEvidence(ids) {
  const complaints = [];
  const rules = readRules(ids, complaints);
  const programs = readFolder(join(FOLDER, 'programs')).flatMap(({ file, value }) =>
    checkProgram(file, value, ids, complaints),
  );
  const reasons = readReasons(ids, complaints);
  const operations = new Map(
    [...ids].map((id) => [
      id,
      {
        programs: programs.filter(({ operations }) => operations.includes(id)),
        uncalled: reasons.find(({ matches }) => matches(id))?.why,
        rules: rules.filter((rule) => rule.operations.includes(id)).map((rule) => rule.id),
      },
    ]),
  );
  for (const [id, { programs: callers, uncalled }] of operations)
    if (callers.length === 0 && uncalled === undefined)
      complaints.push(`${id}: no outside program calls it, and evidence/uncalled.yaml does not say why`);
  return { operations, rules, programs, complaints };
}

/** The state of an operation's evidence: `proven` if an outside program calls it. */
export const stateOf = ({ programs }) => (programs.length > 0 ? 'proven' : 'not proven');

/** One sentence for readers of the API reference. */
export function sentenceOf({ programs, uncalled }) {
  if (programs.length === 0) return `No outside program calls it: ${uncalled}`;
  const names = programs.map(({ name, version, date }) => `${name} ${version} (${date})`);
  return `Called by ${names.join(', ')}.`;
}

function readRules(ids, complaints) {
  const probes = probedRules();
  const marks = marksInCode();
  const rules = [];
  for (const { file, value } of readFolder(join(FOLDER, 'rules')))
    for (const rule of value ?? []) {
      for (const problem of problemsOf(rule, ids, probes)) complaints.push(`${file}: ${rule.id}: ${problem}`);
      if (rules.some(({ id }) => id === rule.id)) complaints.push(`${file}: ${rule.id} stands twice`);
      if (!marks.has(rule.id)) complaints.push(`${file}: ${rule.id}: no comment in the code has this id`);
      rules.push({ ...rule, probe: probes.has(rule.id), places: marks.get(rule.id) ?? [] });
    }
  const known = new Set(rules.map(({ id }) => id));
  for (const [id, places] of marks)
    for (const place of known.has(id) ? [] : places)
      complaints.push(`${place}: Unverified ${id ? `(${id}) ` : ''}has no entry in evidence/rules/`);
  for (const id of probes)
    if (!known.has(id)) complaints.push(`probes/: ${id} is no rule of evidence/rules/`);
  return rules;
}

function* problemsOf(rule, ids, probes) {
  for (const name of Object.keys(rule))
    if (!MEMBERS.includes(name)) yield `${name} is none of ${MEMBERS.join(', ')}`;
  if (!ID.test(rule.id ?? '')) yield 'the id is not AREA/NAME in lower case';
  for (const name of ['rule', 'open']) if (typeof rule[name] !== 'string') yield `${name} is missing`;
  if (!Array.isArray(rule.operations)) {
    yield 'operations is no list';
    return;
  }
  for (const id of rule.operations) if (!ids.has(id)) yield `${id} is no operation`;
  if (!['call', 'no'].includes(rule.sees)) yield 'sees is neither call nor no';
  if (rule.sees === 'no' && typeof rule.no_probe !== 'string')
    yield 'no_probe must say why calls cannot show it';
  if (rule.sees === 'no' && probes.has(rule.id)) yield 'has a probe, so calls do show it';
}

/** The places of each mark, by id. The key of marks without an id is undefined. */
function marksInCode() {
  const places = new Map();
  for (const folder of ['src', 'openapi'])
    for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
      if (!entry.isFile() || !/\.(tsx?|ya?ml)$/.test(entry.name) || entry.name.includes('.gen.')) continue;
      const file = join(entry.parentPath, entry.name);
      const text = readFileSync(file, 'utf8');
      for (const { 1: id, index } of text.matchAll(MARK)) {
        const place = `${file}:${text.slice(0, index).split('\n').length}`;
        places.set(id, [...(places.get(id) ?? []), place]);
      }
    }
  return places;
}

/** The rules that probes ask about. */
const probedRules = () =>
  new Set(readFolder(PROBES).flatMap(({ value }) => (value ?? []).map(({ rule }) => rule)));

function checkProgram(file, program, ids, complaints) {
  for (const name of ['name', 'version', 'date', 'operations'])
    if (program?.[name] === undefined) return (complaints.push(`${file}: ${name} is missing`), []);
  for (const id of program.operations) if (!ids.has(id)) complaints.push(`${file}: ${id} is no operation`);
  return [program];
}

/** `evidence/uncalled.yaml`: a reason by operation, or by the beginning of names and a star. */
function readReasons(ids, complaints) {
  const file = join(FOLDER, 'uncalled.yaml');
  const reasons = existsSync(file) ? parse(readFileSync(file, 'utf8')) : {};
  return Object.entries(reasons).map(([name, why]) => {
    const matches = name.endsWith('*') ? (id) => id.startsWith(name.slice(0, -1)) : (id) => id === name;
    if (![...ids].some(matches)) complaints.push(`${file}: ${name} is no operation`);
    return { why, matches };
  });
}

function readFolder(folder) {
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((name) => name.endsWith('.yaml'))
    .toSorted()
    .map((name) => ({ file: join(folder, name), value: parse(readFileSync(join(folder, name), 'utf8')) }));
}
