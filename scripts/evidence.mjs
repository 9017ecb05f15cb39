// Reads evidence/: which operations were compared with the real service, which outside programs have driven an operation,
// and where Understudy's behaviour rests on no source of the service. Complains of entries that do not fit the code.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parse } from 'yaml';

const FOLDER = 'evidence';
const PROBES = 'probes';
/** In a comment: `Unverified (roles/absent-permission): …`. */
const MARK = /\bUnverified\b(?:[\s*/#]+\(([a-z0-9-]+\/[a-z0-9-]+)\))?/g;
/** Where a rule decides a call, the code notes its id for the journal: `decidedBy('roles/absent-permission')`. */
const DECISION = /'([a-z0-9-]+\/[a-z0-9-]+)'/g;
const ID = /^[a-z0-9-]+\/[a-z0-9-]+$/;
const MEMBERS = ['id', 'rule', 'open', 'operations', 'sees', 'no_probe', 'decides', 'file', 'probe'];

/**
 * `operations` are the contract's, by id. Returns `{ operations, rules, complaints }`: what is known of each operation
 * (whether it was `compared`, the `programs` that called it, or `uncalled`, the reason why none did) and each rule with its `probe`, true or false.
 */
export function readEvidence(ids) {
  const complaints = [];
  const rules = checkedRules(ids, complaints);
  const programs = readFolder(join(FOLDER, 'programs')).flatMap(({ file, value }) =>
    checkProgram(file, value, ids, complaints),
  );
  const reasons = readReasons(ids, complaints);
  const compared = readCompared(ids, complaints);
  const operations = new Map(
    [...ids].map((id) => [
      id,
      {
        compared: compared.find(({ operation }) => operation === id),
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

/**
 * The state of an operation's evidence: `compared` if its answers were held against those of the real service, `driven` if
 * an outside program calls it and accepts its answers.
 */
export function stateOf({ compared, programs }) {
  if (compared) return 'compared';
  return programs.length > 0 ? 'driven' : 'not driven';
}

/** One sentence for readers of the API reference. */
export function sentenceOf({ compared, programs, uncalled }) {
  const callers =
    programs.length > 0
      ? `Driven by ${programs.map(nameOf).join(', ')}.`
      : `No outside program calls it: ${uncalled}${/\.\s*$/.test(uncalled) ? '' : '.'}`;
  return compared
    ? `Compared with the real service by a ${compared.by} on ${compared.date}. ${callers}`
    : `${callers} Its answers were not compared with the real service.`;
}

export const nameOf = ({ name, version, date }) => `${name} ${version} (${date})`;

/** The entries of `evidence/rules/`. `probe`: whether a probe asks about it; `decides`: whether calls note it. */
export function readRules() {
  const probes = probedRules();
  return readFolder(join(FOLDER, 'rules')).flatMap(({ file, value }) =>
    (value ?? []).map((rule) => ({ decides: true, ...rule, file, probe: probes.has(rule.id) })),
  );
}

function checkedRules(ids, complaints) {
  const { marks, decisions } = idsInCode();
  const rules = readRules();
  const known = new Map(rules.map((rule) => [rule.id, rule]));
  for (const rule of rules)
    for (const problem of [...problemsOf(rule, ids), ...problemsInCode(rule, marks, decisions)])
      complaints.push(`${rule.file}: ${rule.id}: ${problem}`);
  for (const rule of rules)
    if (known.get(rule.id) !== rule) complaints.push(`${rule.file}: ${rule.id} stands twice`);
  for (const [id, places] of marks)
    for (const place of known.has(id) ? [] : places)
      complaints.push(`${place}: Unverified ${id ? `(${id}) ` : ''}has no entry in evidence/rules/`);
  for (const id of probedRules())
    if (!known.has(id)) complaints.push(`probes/: ${id} is no rule of evidence/rules/`);
  return rules;
}

function* problemsOf(rule, ids) {
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
  if (rule.sees === 'no' && rule.probe) yield 'has a probe, so calls do show it';
}

/** The comment says why a rule is a guess, and the note beside it tells the journal where the rule decides. */
function* problemsInCode({ id, decides }, marks, decisions) {
  if (!marks.has(id)) yield 'no comment in the code has this id';
  if (decides !== true && decides !== false) yield 'decides is neither true nor false';
  if (decides && !decisions.has(id))
    yield 'no code says decidedBy(this id): note it where the rule decides a call, or write decides: false';
  if (!decides && decisions.has(id)) yield 'has decides: false, and the code says decidedBy(this id)';
  const folders = new Set((marks.get(id) ?? []).map(dirname));
  for (const place of decisions.get(id) ?? [])
    if (!folders.has(dirname(place)))
      yield `${place} has this id; no comment Unverified (${id}) is in its folder`;
}

/** Without the tests of packages, which name rules too. */
const sourcesOfPackages = () =>
  readdirSync('packages')
    .map((name) => join('packages', name, 'src'))
    .filter((folder) => existsSync(folder));

/** The places of comments and of decisions, by id. The key of comments without an id is undefined. */
function idsInCode() {
  const [marks, decisions] = [new Map(), new Map()];
  for (const folder of ['src', ...sourcesOfPackages(), 'openapi'])
    for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
      if (!entry.isFile() || !/\.(tsx?|ya?ml)$/.test(entry.name) || entry.name.includes('.gen.')) continue;
      const file = join(entry.parentPath, entry.name);
      const text = readFileSync(file, 'utf8');
      for (const [places, pattern] of [
        [marks, MARK],
        [decisions, DECISION],
      ])
        for (const { 1: id, index } of text.matchAll(pattern)) {
          const place = `${file}:${text.slice(0, index).split('\n').length}`;
          places.set(id, [...(places.get(id) ?? []), place]);
        }
    }
  return { marks, decisions };
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

/** `evidence/compared.yaml`: the operations whose answers a recording or a probe of the real service agreed with. */
function readCompared(ids, complaints) {
  const file = join(FOLDER, 'compared.yaml');
  const compared = parse(readFileSync(file, 'utf8'));
  for (const { operation, by, date } of compared) {
    if (!ids.has(operation)) complaints.push(`${file}: ${operation} is no operation`);
    if (!['recording', 'probe'].includes(by) || date === undefined)
      complaints.push(`${file}: ${operation} needs \`by\` (recording or probe) and \`date\``);
  }
  return compared;
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
