import { isObject } from '@understudy/text/json';
import type { Remedy } from './answer.ts';

interface RemedyCode {
  curl: string;
  typescript: string;
  python: string;
  go: string;
  java: string;
}

type Language = Exclude<keyof RemedyCode, 'curl'>;

/** How each language writes values and calls. */
interface Syntax {
  value: (value: unknown) => string;
  /** The object that tests have, with the names of its parts and methods. */
  call: (part: string, method: string, args: readonly string[]) => string;
}

const quoted = (text: string) => JSON.stringify(text);
const inShell = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;
const capital = (name: string) => name[0]!.toUpperCase() + name.slice(1);

const SYNTAX: Readonly<Record<Language, Syntax>> = {
  typescript: {
    value: (value) => JSON.stringify(value),
    call: (part, method, args) => `await env.${part}.${method}(${args.join(', ')});`,
  },
  python: {
    value: (value) => written(value, PYTHON),
    call: (part, method, args) => `env.${part}.${method}(${args.join(', ')})`,
  },
  go: {
    value: (value) => written(value, GO),
    call: (part, method, args) => `env.${capital(part)}.${capital(method)}(${args.join(', ')})`,
  },
  java: {
    value: (value) => written(value, JAVA),
    call: (part, method, args) => `environment.${part}().${method}(${args.join(', ')});`,
  },
};

interface Literals {
  none: string;
  yes: string;
  no: string;
  list: (items: readonly string[]) => string;
  map: (members: readonly (readonly [string, string])[]) => string;
}

const pairs = (members: readonly (readonly [string, string])[], mark: string) =>
  members.map(([name, value]) => `${quoted(name)}${mark} ${value}`).join(', ');

const PYTHON: Literals = {
  none: 'None',
  yes: 'True',
  no: 'False',
  list: (items) => `[${items.join(', ')}]`,
  map: (members) => `{${pairs(members, ':')}}`,
};

const GO: Literals = {
  none: 'nil',
  yes: 'true',
  no: 'false',
  list: (items) => `[]any{${items.join(', ')}}`,
  map: (members) => `understudytest.Row{${pairs(members, ':')}}`,
};

const JAVA: Literals = {
  none: 'null',
  yes: 'true',
  no: 'false',
  list: (items) => `List.of(${items.join(', ')})`,
  // `Map.of` takes ten members at most.
  map: (members) =>
    `Map.ofEntries(${members.map(([name, value]) => `Map.entry(${quoted(name)}, ${value})`).join(', ')})`,
};

function written(value: unknown, literals: Literals): string {
  if (value === null || value === undefined) return literals.none;
  if (typeof value === 'boolean') return value ? literals.yes : literals.no;
  if (Array.isArray(value)) return literals.list(value.map((each) => written(each, literals)));
  if (isObject(value))
    return literals.map(Object.entries(value).map(([name, each]) => [name, written(each, literals)]));
  return JSON.stringify(value);
}

/** What a call has beside its method. */
export interface RemedyCall extends Pick<Remedy, 'path' | 'body'> {
  authorization?: string;
  /** Whether the body is sent as a form. By default, only a call to the endpoint for tokens sends a form. */
  isForm?: boolean;
}

/** Where a remedy stands: that of this number for the call with this id. */
interface RemedyPlace {
  url: string;
  environment: string;
  call: string;
  number: number;
}

/** The remedy as a line of curl and of each client. A client without a line for it applies the remedy by its number. */
export function codeOf(remedy: Remedy & RemedyCall, place: RemedyPlace): RemedyCode {
  const own = remedy.environment === undefined ? lineOf(remedy) : undefined;
  const byNumber: Line = ({ call, value }) => call('requests', 'fix', [place.call, place.number].map(value));
  const languages = Object.entries(SYNTAX).map(([name, syntax]) => [
    name,
    own?.(syntax, name as Language) ?? byNumber(syntax, name as Language),
  ]);
  return { curl: curlOf(remedy, place), ...(Object.fromEntries(languages) as Record<Language, string>) };
}

function curlOf(
  {
    method,
    path,
    body,
    environment: other,
    authorization,
    isForm = path === TOKEN_PATH,
  }: Remedy & RemedyCall,
  { url, environment }: { url: string; environment: string },
): string {
  const name = other ?? environment;
  const form = isForm && isObject(body) ? Object.entries(body) : [];
  return [
    `curl${method === 'GET' || (body !== undefined && method === 'POST') ? '' : ` -X ${method}`} ${inShell(url + path)}`,
    ...(name === 'default' ? [] : [`-H ${inShell(`understudy-environment: ${name}`)}`]),
    ...(authorization === undefined ? [] : [`-H ${inShell(`authorization: ${authorization}`)}`]),
    ...form.map(([member, value]) => `-d ${inShell(`${member}=${String(value)}`)}`),
    ...(isForm || body === undefined
      ? []
      : ["-H 'content-type: application/json'", `-d ${inShell(JSON.stringify(body))}`]),
  ].join(' ');
}

export const TOKEN_PATH = '/oauth/token';

type Line = (syntax: Syntax, language: Language) => string;

const ROW = /^\/_control\/v1\/state\/(\w+)(?:\/([^/]+))?$/;
const SCENARIO = /^\/_control\/v1\/scenarios\/([^/]+)$/;

/** How the clients write the call; undefined if they have no line for it. */
function lineOf({ method, path, body }: Remedy): Line | undefined {
  const [, collection = '', id] = ROW.exec(path) ?? [];
  if (collection !== '')
    return rowLine(method, [collection, ...(id === undefined ? [] : [decodeURIComponent(id)])], body);
  const [, scenario] = SCENARIO.exec(path) ?? [];
  if (scenario !== undefined)
    return ({ call, value }) => call('scenarios', 'unload', [value(decodeURIComponent(scenario))]);
  if (path === '/_control/v1/scenarios' && isObject(body))
    return ({ call, value }) => call('scenarios', 'load', [value(body['name'])]);
  if (path === '/_control/v1/clock' && isObject(body)) return clockLine(body);
  if (path === TOKEN_PATH) return (_, language) => TOKEN_LINES[language];
  return undefined;
}

const ROW_METHODS: Readonly<Record<string, string | undefined>> = {
  PUT: 'put',
  PATCH: 'patch',
  DELETE: 'delete',
};

function rowLine(method: string, names: readonly string[], body: unknown): Line {
  const name = ROW_METHODS[method] ?? (names.length === 1 ? 'list' : 'get');
  return ({ call, value }) =>
    call('state', name, [...names.map(value), ...(body === undefined ? [] : [value(body)])]);
}

const TOKEN_LINES: Readonly<Record<Language, string>> = {
  typescript: 'await env.accessToken();',
  python: 'env.access_token()',
  go: 'env.Token()',
  java: 'environment.accessToken();',
};

/** The clients for Go and Java take times of their languages. */
function clockLine({ mode, at }: Readonly<Record<string, unknown>>): Line {
  const time = quoted(String(at));
  const lines: Readonly<Record<Language, string>> =
    mode === 'real'
      ? {
          typescript: 'await env.clock.set({ mode: "real" });',
          python: 'env.clock.set("real")',
          go: 'env.Clock.Real()',
          java: 'environment.clock().real();',
        }
      : {
          typescript: `await env.clock.set({ mode: "offset", at: ${time} });`,
          python: `env.clock.set("offset", at=${time})`,
          go: `env.Clock.Set(time.UnixMilli(${Date.parse(String(at))}))`,
          java: `environment.clock().freeze(Instant.parse(${time}));`,
        };
  return (_, language) => lines[language];
}
