// Generates from catalogue/ the fixture of that name, and from openapi/: descriptors of our own RPCs, the documents to serve, the compiled contracts, their types and
// tables of secret fields and of events. What is up to date is left as it is.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { contractDigest, DIGEST_FILE } from './contract-digest.mjs';
import { eventTable, putEnvelopes } from './events.mjs';
import { readEvidence, readRules, sentenceOf, stateOf } from './evidence.mjs';
import { nameTypes } from './name-types.mjs';
import { Numbering } from './numbering.mjs';
import { replaceFile } from './replace-folder.mjs';
import { holdsSecret, secretFields } from './secret-fields.mjs';
import { served } from './served.mjs';
import { Steps } from './steps.mjs';
import { inlineProperties, problemsOfSchemas } from './taken-properties.mjs';

const VERBS = ['get', 'put', 'post', 'delete', 'patch'];
const ENVIRONMENT_FREE =
  /\/(health|ca\.pem|openapi\.json|environments|fixtures|metrics|scenarios\/lint|scenarios\/\{\w+\}\/file)(\/|$)/;

/** What an operation may say that OpenAPI does not know. */
const MARKS = ['x-body-field', 'x-callers', 'x-dialect', 'x-event', 'x-open', 'x-other-rpc', 'x-uncached'];

const TYPES = 'src/contract';

/** A mistake in openapi/. */
class ContractMistake extends Error {}

process.on('uncaughtException', (thrown) => {
  console.error(thrown instanceof ContractMistake ? thrown.message : thrown);
  process.exit(1);
});

const digest = contractDigest();
const steps = new Steps('node_modules/.cache/understudy-generate/digests.json', [
  'scripts',
  'package-lock.json',
]);
const SDK_METHODS = steps.between('sdk-methods.json');
const DOCUMENTS = { openapi: steps.between('openapi.json'), control: steps.between('control.json') };
const read = (file) => JSON.parse(readFileSync(file, 'utf8'));

await steps.run('catalogue', { reads: ['catalogue'], writes: ['fixtures/catalogue.json'] }, async () => {
  const { writeCatalogue } = await import('./catalogue.mjs');
  writeCatalogue();
});
await steps.run('rpc', { reads: ['openapi/proto'], writes: ['dist/rpc.binpb'] }, async () => {
  const { compileProto } = await import('./proto.mjs');
  replaceFile('dist/rpc.binpb', await compileProto('openapi/proto'));
});
await steps.run('SDKs', { reads: ['evidence/methods'], writes: [SDK_METHODS] }, async () => {
  const { sdkMethods } = await import('./sdk-methods.mjs');
  replaceFile(SDK_METHODS, JSON.stringify([...(await sdkMethods())]));
});
await generate({
  source: 'openapi/openapi.yaml',
  name: 'openapi',
  reads: ['evidence', 'probes', SDK_METHODS],
  isOpen: true,
  before: writeOut,
  also: (document) => (addEvidence(document), addSdkMethods(document)),
});
await generate({
  source: 'openapi/control.yaml',
  name: 'control',
  reads: [],
  isOpen: false,
  also: bindToEnvironments,
});
await steps.run('rules', { reads: ['evidence/rules'], writes: [`${TYPES}/rule-ids.gen.ts`] }, () =>
  replaceFile(`${TYPES}/rule-ids.gen.ts`, ruleTypes()),
);
await steps.run(
  'tables',
  {
    reads: [...Object.values(DOCUMENTS), 'fixtures'],
    writes: ['control-routes', 'events', 'secret-fields', 'names'].map((name) => `${TYPES}/${name}.gen.ts`),
  },
  writeTables,
);
await steps.run(
  'scenarios',
  { reads: ['scenarios'], writes: [`${TYPES}/shipped-scenarios.gen.ts`] },
  async () => {
    const { shippedScenarioTypes } = await import('./shipped-scenarios.mjs');
    const { text, files } = await shippedScenarioTypes();
    replaceFile(`${TYPES}/shipped-scenarios.gen.ts`, text);
    return files;
  },
);
await steps.run(
  'scenario',
  { reads: ['scenarios/scenario.schema.json'], writes: [`${TYPES}/scenario.gen.ts`] },
  async () => {
    const { scenarioTypes } = await import('./scenario-types.mjs');
    replaceFile(`${TYPES}/scenario.gen.ts`, await scenarioTypes());
  },
);
replaceFile(DIGEST_FILE, digest);

async function generate({ source, name, reads, isOpen, before, also }) {
  const writes = [`${name}.json`, `${name}.contract.json`, `${name}.schemas.json`].map(
    (file) => `dist/${file}`,
  );
  writes.push(`${TYPES}/${name}.gen.ts`, DOCUMENTS[name]);
  await steps.run(name, { reads: ['redocly.yaml', source, ...reads], writes }, async () => {
    const { document, files } = await bundled(source);
    before?.(document);
    const complete = addErrorResponses(document);
    also?.(complete);
    replaceFile(`dist/${name}.json`, JSON.stringify(served(complete, { isOpen })));
    const { schemas, ...compiled } = compile(complete);
    replaceFile(`dist/${name}.contract.json`, JSON.stringify(compiled));
    replaceFile(`dist/${name}.schemas.json`, JSON.stringify(schemas));
    replaceFile(`${TYPES}/${name}.gen.ts`, await typesOf(complete));
    replaceFile(DOCUMENTS[name], JSON.stringify(complete));
    return files;
  });
}

/** The document with all that it refers to, and the files that it is in. */
async function bundled(source) {
  const { bundle, getLineColLocation, loadConfig } = await import('@redocly/openapi-core');
  const config = await loadConfig({ configPath: 'redocly.yaml' });
  const { bundle: found, problems, fileDependencies } = await bundle({ ref: source, config });
  for (const { message, location } of problemsOfSchemas(problems))
    throw new ContractMistake(`${placeOf(location, getLineColLocation) ?? source}: ${message}`);
  inlineProperties(found.parsed);
  return { document: found.parsed, files: [...fileDependencies].map((file) => relative('.', file)) };
}

function writeTables() {
  const [service, control] = [read(DOCUMENTS.openapi), read(DOCUMENTS.control)];
  replaceFile(`${TYPES}/control-routes.gen.ts`, routesOf(control));
  const { objects, examples } = eventTable(service);
  replaceFile(
    `${TYPES}/events.gen.ts`,
    `export const EVENT_OBJECTS = ${JSON.stringify(objects)} as const;\n` +
      `export const EVENT_EXAMPLES = ${JSON.stringify(JSON.stringify(examples))};\n`,
  );
  replaceFile(
    `${TYPES}/secret-fields.gen.ts`,
    `export const SECRET_FIELDS = ${JSON.stringify(secretFields([service, control]))} as const;\n`,
  );
  replaceFile(`${TYPES}/names.gen.ts`, nameTypes(service, control));
}

/** As `openapiTS` writes them. It would bundle and check the document again, which takes most of its time. */
async function typesOf(document) {
  const { astToString, resolveRef, scanDiscriminators, transformSchema } = await import('openapi-typescript');
  const options = { defaultNonNullable: true, injectFooter: [], silent: false };
  const resolve = (reference) => resolveRef(document, reference, options);
  const discriminators = scanDiscriminators(document, options);
  return astToString(transformSchema(document, { ...options, discriminators, resolve }));
}

/** Such as `openapi/roles.yaml:22`. */
function placeOf([location], getLineColLocation) {
  if (!location) return undefined;
  const { source, start } = getLineColLocation({ reportOnKey: false, ...location });
  return `${relative('.', source.absoluteRef)}:${start.line}`;
}

function writeOut(document) {
  putEnvelopes(document);
  addSecondPaths(document);
}

/** Copies the operations below an address to a second address (`x-second-paths`). */
function addSecondPaths(document) {
  const { 'x-second-paths': addresses = {}, paths } = document;
  delete document['x-second-paths'];
  for (const [first, second] of Object.entries(addresses))
    for (const [path, item] of Object.entries(paths).filter(([each]) => each.startsWith(`${first}/`)))
      paths[path.replace(first, second)] = numbered(item, ' (by the other address)');
}

/** The same operations with a 2 after their names, for a second path. */
function numbered(item, remark) {
  const copy = structuredClone(item);
  for (const operation of VERBS.map((verb) => copy[verb]).filter(Boolean)) {
    operation.operationId += '2';
    operation.summary += remark;
  }
  return copy;
}

/** The path of each control call. Calls on an environment have a second path with the environment's name. */
function routesOf(document) {
  const found = [...eachOperation(document)];
  const ids = new Set(found.map(({ operation }) => operation.operationId));
  const routes = found
    .filter(({ operation }) => !/\d$/.test(operation.operationId))
    .map(({ path, verb, operation: { operationId: id } }) => {
      const route = {
        method: verb.toUpperCase(),
        path: path.replace('/_control/v1', ''),
        ofEnvironment: ids.has(`${id}2`),
      };
      return `  ${id}: ${JSON.stringify(route)},\n`;
    });
  return `export const controlRoutes = {\n${routes.join('')}} as const;\n`;
}

/** Names the dialect of every operation, and copies its error responses into the operation. */
function addErrorResponses({ 'x-dialects': dialects, ...document }) {
  const [first] = Object.keys(dialects);
  for (const { operation } of eachOperation(document)) {
    const wrong = Object.keys(operation).find((key) => key.startsWith('x-') && !MARKS.includes(key));
    if (wrong !== undefined)
      throw new ContractMistake(`${operation.operationId}: ${wrong} is none of ${MARKS.join(', ')}`);
    operation['x-dialect'] ??= first;
    const { operationId: id, 'x-dialect': name, 'x-open': isOpen } = operation;
    const errors = dialects[name];
    if (!errors)
      throw new ContractMistake(`${id}: x-dialect ${name} is none of ${Object.keys(dialects).join(', ')}`);
    if (isOpen) continue;
    for (const [status, response] of Object.entries(errors)) operation.responses[status] ??= response;
  }
  return document;
}

/** Says in each operation what its behaviour rests on. docs/fidelity.md has the same for all. */
function addEvidence(document) {
  const all = [...eachOperation(document)].map(({ operation }) => operation);
  const baseOf = ({ operationId }) => operationId.replace(/\d+$/, '');
  const { operations, rules } = readEvidence(new Set(all.map(baseOf)));
  for (const operation of all) {
    const evidence = operations.get(baseOf(operation));
    operation['x-evidence'] = {
      state: stateOf(evidence),
      basis: sentenceOf(evidence),
      unknown: evidence.rules,
    };
  }
  document['x-unknown-rules'] = Object.fromEntries(
    rules.map(({ id, rule, open, probe }) => [id, { rule, open, probe }]),
  );
}

/** The ids of the rules, so that the compiler finds a wrong one. */
function ruleTypes() {
  const ids = readRules().map(({ id }) => id);
  return `/** A rule of evidence/rules/. */\nexport type RuleId =\n${ids.map((id) => `  | '${id}'`).join('\n')};\n`;
}

/** Names the methods of the official SDKs that call each operation. */
function addSdkMethods(document) {
  const methods = new Map(read(SDK_METHODS));
  for (const { operation } of eachOperation(document)) {
    const found = methods.get(operation.operationId.replace(/\d+$/, ''));
    if (found) operation['x-sdk'] = found;
  }
}

/** Each call on an environment has a second path that names it. */
function bindToEnvironments(document) {
  for (const [path, item] of Object.entries(document.paths)) {
    if (ENVIRONMENT_FREE.test(path)) continue;
    const bound = numbered(item, ' (environment in the path)');
    bound.parameters = [{ $ref: '#/components/parameters/environment' }, ...(item.parameters ?? [])];
    document.paths[path.replace('/_control/v1', '/_control/v1/environments/{environment}')] = bound;
  }
}

/** The part of the document that routing and validation need. Equal parameters, and equal responses, are written once. */
function compile(document) {
  const numberings = { parameters: new Numbering(), responses: new Numbering(), answers: new Numbering() };
  const operations = Array.from(eachOperation(document), (found) =>
    compileOperation(document, found, numberings),
  );
  const messages = Object.entries(document.webhooks ?? {}).map(([name, item]) => {
    const { operationId } = item.post;
    const message = compileOperation(
      document,
      { path: name, verb: 'post', item, operation: item.post },
      numberings,
    );
    return { ...message, sent: operationId.slice(0, operationId.indexOf('.')) };
  });
  const { schemas } = document.components;
  const { version } = document.info;
  const shared = Object.entries(numberings).map(([name, { values }]) => [name, values]);
  const compiled = { version, operations, messages, ...Object.fromEntries(shared), schemas };
  const text = JSON.stringify(compiled, prune).replaceAll('"#/components/schemas/', '"schema:');
  const digest = createHash('sha256').update(text).digest('hex').slice(0, 16);
  return { digest, ...JSON.parse(text) };
}

function compileOperation(document, { path, verb, item, operation }, numberings) {
  const resolve = (thing) => resolveIn(document, thing);
  const { requestBody, responses, security = document.security } = operation;
  const body = requestBody && resolve(requestBody);
  const parameters = [...(item.parameters ?? []), ...(operation.parameters ?? [])].map(resolve);
  return {
    id: operation.operationId,
    base: operation.operationId.replace(/\d+$/, ''),
    title: operation.summary,
    method: verb.toUpperCase(),
    path,
    status: Number(Object.keys(responses).find((status) => status < 400)),
    secured: security.length > 0 && security.every((scheme) => Object.keys(scheme).length > 0),
    callers: operation['x-callers'],
    bodyField: operation['x-body-field'],
    otherRpc: operation['x-other-rpc'],
    open: operation['x-open'],
    dialect: operation['x-dialect'] ?? 'service',
    uncached: isUncached(document, operation),
    ...compileParameters(parameters, numberings),
    environment: environmentMarks(document, parameters, body),
    requestBody: body && { required: body.required === true, content: schemasOf(body) },
    responses: numberings.answers.of(answersOf(document, responses, numberings)),
  };
}

/** Numbers of responses by status. */
function answersOf(document, responses, numberings) {
  const numbers = Object.entries(responses).map(([status, response]) => {
    const content = schemasOf(resolveIn(document, response));
    return [status, numberings.responses.of({ content })];
  });
  return Object.fromEntries(numbers);
}

/** Whether an answer can have a secret. */
function isUncached(document, { responses, ...operation }) {
  if (operation['x-uncached']) return true;
  const found = Object.values(responses).flatMap((each) =>
    Object.values(resolveIn(document, each).content ?? {}),
  );
  return found.some(({ schema }) => holdsSecret(document, schema)) || undefined;
}

/** Cookies are not validated, because browsers send whatever they have. */
function compileParameters(all, numberings) {
  const cookies = all.filter((each) => each.in === 'cookie').map(({ name }) => name);
  const parameters = all
    .filter((each) => each.in !== 'cookie')
    .map((each) => numberings.parameters.of(compileParameter(each)));
  return { parameters, ...(cookies.length > 0 && { cookies }) };
}

/** Where a call of the operation carries its environment. */
function environmentMarks(document, parameters, body) {
  const inBody = Object.values(body?.content ?? {}).flatMap(({ schema }) => {
    const { properties = {} } = resolveIn(document, schema);
    return Object.entries(properties).map(([name, property]) => ({ ...property, name, in: 'body' }));
  });
  const marks = [...parameters, ...inBody]
    .filter((each) => each['x-environment'])
    .map(({ in: place, name, 'x-environment': as }) => ({ in: place, name, as }));
  return marks.length > 0 ? marks : undefined;
}

/** The service accepts any characters in a query value, and an empty value. */
function compileParameter({ name, in: place, required, schema, style, explode }) {
  return { name, in: place, required, schema, style, explode, allowReserved: true, allowEmptyValue: true };
}

function resolveIn(document, thing) {
  if (!thing.$ref) return thing;
  const keys = thing.$ref.slice(2).split('/');
  const found = keys.reduce((at, key) => at[key.replaceAll('~1', '/').replaceAll('~0', '~')], document);
  return resolveIn(document, found); // a component may be called otherwise in its own file
}

function schemasOf({ content }) {
  return (
    content && Object.fromEntries(Object.entries(content).map(([type, { schema }]) => [type, { schema }]))
  );
}

/** Removes texts that only readers of the document need. Keeps properties and default values named `description`. */
function prune(key, value) {
  const prose =
    ['description', 'summary', 'example', 'title'].includes(key) && typeof value === 'string' && value !== '';
  return prose || key === 'x-also' || key === 'x-secret' || (key === 'examples' && Array.isArray(value))
    ? undefined
    : value;
}

function* eachOperation(document) {
  for (const [path, item] of Object.entries(document.paths)) {
    for (const verb of VERBS) if (item[verb]) yield { path, verb, item, operation: item[verb] };
  }
}
