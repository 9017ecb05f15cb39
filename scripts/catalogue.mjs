// Makes fixtures/catalogue.json of catalogue/: a YAML file for each provider, and shared.yaml for what all share.
//
//   params:                               # of all tools of the provider, or of one tool
//     max_results integer: At most this many messages.   # the type is string if none is given; [string] is a list
//   shapes:                               # names for parts of answers
//     Message: { id: string, threadId: string, labels?: [string] }   # `?`: it may be absent
//   tools:
//     fetch_mails:                        # the name without `gmail_`
//       read: Reads messages.             # or `write`: what the tool does
//       takes: query! max_results         # `!`: required
//       gives: { messages: [Message] }    # the schema of the answer
//       answer: { messages: { $list: message, limit: $max_results or 10 } }   # `$name or value`: a param of the call
//
// `like` copies another tool, or in a provider the records, shapes, params, tools and proxied calls of another provider.
import { readdirSync, readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { replaceFile } from './replace-folder.mjs';

const FOLDER = 'catalogue';
const UPDATED = '2026-01-05T09:00:00.000Z';
const FIRST_ID = 20_000_000_000_000_000n;
const TYPES = ['string', 'integer', 'number', 'boolean', 'object', 'array'];
const MEMBERS = ['like', 'title', 'read', 'write', 'takes', 'params', 'gives', 'answer'];
/** In titles, these come first. */
const VERBS = /^(\w+?)_(add|archive|create|delete|get|import|list|query|search|star|update)$/;

export function catalogueRows() {
  const read = (name) => parse(readFileSync(`${FOLDER}/${name}`, 'utf8'));
  const { params: shared, ...rest } = read('shared.yaml');
  const files = readdirSync(FOLDER).filter((name) => name.endsWith('.yaml') && name !== 'shared.yaml');
  const described = files
    .map((name) => ({ file: name, ...read(name) }))
    .toSorted((a, b) => a.number - b.number);
  const providers = described.map((each) => withShared(each, described, shared));
  return {
    description: rest.description,
    providers: providers.map(providerRow),
    proxy_responses: providers.flatMap(proxyRows),
    permissions: rest.permissions,
    roles: rest.roles,
    tools: providers.flatMap(toolRows),
  };
}

export const writeCatalogue = () =>
  replaceFile('fixtures/catalogue.json', JSON.stringify(catalogueRows()) + '\n');

function withShared(provider, all, shared) {
  const { like, params, ...own } = provider;
  const { records, shapes, tools, proxy, params: copied } = all.find(({ id }) => id === like) ?? {};
  if (like && !tools) throw new Error(`${FOLDER}/${provider.file}: like: there is no provider ${like}`);
  return { records, shapes, tools, proxy, ...own, params: { ...shared, ...copied, ...params } };
}

function providerRow({ number, id, name, about, oauth, auth_patterns, file: _, ...rest }) {
  const { shapes: __, params: ___, tools: ____, proxy: _____, records, ...shown } = rest;
  return {
    id,
    provider_id: `prv_${FIRST_ID + BigInt(number)}`,
    display_name: name,
    description: about,
    categories: rest.categories,
    auth_patterns: auth_patterns ?? [oauthPattern(oauth)],
    icon_src: `https://cdn.example.com/icons/${id.toLowerCase()}.svg`,
    display_priority: 100 - number,
    proxy_enabled: true,
    ...shown,
    ...(records && { records: filled(records) }),
  };
}

const oauthPattern = ([authorize_uri, token_uri]) => ({
  type: 'OAUTH',
  display_name: 'OAuth 2.0',
  fields: [],
  oauth_config: { authorize_uri, token_uri, pkce_enabled: true },
});

function toolRows({ id: provider, number, tools = {}, ...context }) {
  return Object.entries(tools).map(([key, own], index) => {
    const tool = own.like ? { ...tools[own.like], ...own } : own;
    const where = `${FOLDER}/${context.file}: tools.${key}`;
    const wrong = Object.keys(own).find((member) => !MEMBERS.includes(member));
    if (wrong) throw new Error(`${where}.${wrong}: a tool has ${MEMBERS.join(', ')}`);
    const kind =
      ['read', 'write'].find((each) => each in own) ?? ['read', 'write'].find((each) => each in tool);
    if (!kind) throw new Error(`${where}: say what the tool does: read: … or write: …`);
    return {
      id: `tol_${FIRST_ID + BigInt(number * 100 + index + 1)}`,
      provider,
      definition: {
        name: key.startsWith('c-') ? key : `${provider.toLowerCase()}_${key}`,
        display_name: tool.title ?? titleOf(key),
        description: tool[kind],
        input_schema: inputSchema(tool, context, where),
        output_schema: schemaOf(tool.gives ?? 'object', context.shapes ?? {}, where),
      },
      tags: [kind],
      is_default: true,
      updated_at: UPDATED,
      response: filled(tool.answer),
    };
  });
}

/** `issues_list` is `List issues`, and `fetch_mails` is `Fetch mails`. */
function titleOf(key) {
  const [, noun, verb] = VERBS.exec(key) ?? [];
  const words = (verb ? `${verb}_${noun}` : key).replaceAll(/[_-]/g, ' ');
  return words[0].toUpperCase() + words.slice(1);
}

function inputSchema({ takes = '', params: own }, { params }, where) {
  const known = { ...glossary(params), ...glossary(own) };
  const names = takes.split(/\s+/).filter(Boolean);
  const properties = names.map((each) => {
    const name = each.replace('!', '');
    if (!known[name]) throw new Error(`${where}: takes ${name}, which no params describe`);
    return [name, known[name]];
  });
  return {
    type: 'object',
    properties: Object.fromEntries(properties),
    required: names.filter((each) => each.endsWith('!')).map((each) => each.slice(0, -1)),
    additionalProperties: false,
  };
}

const glossary = (params = {}) =>
  Object.fromEntries(
    Object.entries(params).map(([key, description]) => {
      const [name, type = 'string'] = key.split(' ');
      const [, item] = /^\[(\w+)\]$/.exec(type) ?? [];
      const typed = item ? { type: 'array', items: { type: item } } : { type };
      return [name, { ...typed, description }];
    }),
  );

/** The JSON Schema of a shape. */
function schemaOf(shape, shapes, where) {
  if (Array.isArray(shape)) return { type: 'array', items: schemaOf(shape[0], shapes, where) };
  if (shape === null) return { type: 'null' };
  if (typeof shape === 'string') {
    if (TYPES.includes(shape)) return { type: shape };
    if (!shapes[shape]) throw new Error(`${where}: there is no type and no shape ${shape}`);
    return schemaOf(shapes[shape], shapes, where);
  }
  const members = Object.entries(shape);
  const properties = members.map(([name, each]) => [name.replace('?', ''), schemaOf(each, shapes, where)]);
  const required = members.map(([name]) => name).filter((name) => !name.endsWith('?'));
  return {
    type: 'object',
    properties: Object.fromEntries(properties),
    ...(required.length > 0 && { required }),
  };
}

/** `GET /v1/pages/{id}` with its body, or with more than the body. */
function proxyRows({ id: provider, proxy = {} }) {
  return Object.entries(proxy).map(([call, given]) => {
    const [method, path] = call.split(' ');
    const { id, status = 200, ...rest } = given;
    return { id: id ?? proxyId(provider, method, path), provider, method, path, status, ...filled(rest) };
  });
}

const proxyId = (provider, method, path) =>
  `${provider}-${method}${path}`
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replace(/-$/, '');

/** Writes `$name or value` out. */
function filled(at) {
  if (Array.isArray(at)) return at.map(filled);
  if (typeof at === 'object' && at !== null)
    return Object.fromEntries(Object.entries(at).map(([name, each]) => [name, filled(each)]));
  const [, name, value] = (typeof at === 'string' && /^\$(\w+)(?: or (.*))?$/.exec(at)) || [];
  if (name === undefined) return at;
  return { $param: name, ...(value !== undefined && { default: parse(value) }) };
}
