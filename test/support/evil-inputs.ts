/** A call that makes as much work as a request of 1 MB can. */
export interface EvilCall {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH';
  path: string;
  body?: string;
  /** The content type; JSON by default. */
  type?: string;
  headers?: Record<string, string>;
}

export interface EvilInput extends EvilCall {
  name: string;
  /** Calls that run first and are not measured. */
  first?: readonly EvilCall[];
}

export const LARGEST = 1_000_000;

const CONTROL = '/_control/v1';
const API = '/api/v1';
const YAML = 'application/yaml';
const FORM = 'application/x-www-form-urlencoded';

/** `head`, then as many parts as fit into `size`, then `tail`. */
function fill(head: string, each: (index: number) => string, tail = '', joint = ',', size = LARGEST): string {
  const parts: string[] = [];
  let left = size - head.length - tail.length;
  for (let index = 0; ; index += 1) {
    const part = each(index);
    left -= part.length + joint.length;
    if (left < 0) return head + parts.join(joint) + tail;
    parts.push(part);
  }
}

const nested = (open: string, inner: string, close: string, size = LARGEST) => {
  const depth = Math.floor((size - inner.length) / (open.length + close.length));
  return open.repeat(depth) + inner + close.repeat(depth);
};

const get = (path: string): EvilCall => ({ method: 'GET', path });
const send =
  (method: 'POST' | 'PUT' | 'PATCH', path: string) =>
  (body: string, type?: string): EvilCall => ({ method, path, body, ...(type !== undefined && { type }) });

const load = send('POST', `${CONTROL}/scenarios`);
const putState = send('PUT', `${CONTROL}/state`);
const verify = send('POST', `${CONTROL}/requests/verify`);
const createOrganization = send('POST', `${API}/organizations`);
const scenario = (rules: string) => `{"name":"evil","rules":[${rules}]}`;
const rules = (each: (index: number) => string, size = LARGEST) =>
  fill('{"name":"evil","rules":[', each, ']}', ',', size);

const LONG_PATH = `/${'a'.repeat(12_000)}`;
const LONG_URL = `http://127.0.0.1:9/${'a'.repeat(2000)}`;
/** A connected account of the default fixture. */
const ACCOUNT = { connection_name: 'gmail', identifier: 'default' };
const STARS = '*a*a*a*a*a*a*a*a!';
const FAILS = '"reply":{"error":"unavailable"}';
/** Loads a rule with this regular expression, and the call whose text it is tested against. */
const expression = (regex: string, text: string): readonly [EvilCall, EvilCall] => [
  load(
    scenario(
      `{"on":"OrganizationService_CreateOrganization","when":{"body":{"display_name":{"regex":${JSON.stringify(regex)}}}},${FAILS}}`,
    ),
  ),
  createOrganization(JSON.stringify({ display_name: text })),
];
const matched = (name: string, regex: string, text: string): EvilInput => {
  const [loading, call] = expression(regex, text);
  return { name, first: [loading], ...call };
};

const journalGlobs: EvilInput[] = [
  { name: 'journal path glob', first: [get(LONG_PATH)], ...get(`${CONTROL}/requests?path=${STARS}`) },
  {
    name: 'journal path of variables',
    first: [get(LONG_PATH)],
    ...get(`${CONTROL}/requests?path=/${'{a}'.repeat(60)}!`),
  },
  {
    name: 'journal operation glob',
    ...get(`${CONTROL}/requests?operation=${'*e'.repeat(3000)}!`),
  },
  {
    name: 'verify path glob of 1 MB',
    first: [get(LONG_PATH)],
    ...verify(JSON.stringify({ match: { path: '*a'.repeat(499_000) } })),
  },
  {
    name: 'verify many unknown operations',
    ...verify(fill('{"match":{"operation":[', (i) => `"UserService_List${i}"`, ']}}')),
  },
  {
    name: 'delivery endpoint glob',
    first: [send('POST', `${CONTROL}/webhooks/endpoints`)(JSON.stringify({ url: LONG_URL, events: ['*'] }))],
    ...get(`${CONTROL}/webhooks/deliveries?endpoint=${STARS}`),
  },
  { name: 'delivery type glob', ...get(`${CONTROL}/webhooks/deliveries?type=${'*e'.repeat(3000)}!`) },
  {
    name: 'webhook endpoint with many wrong events',
    ...send(
      'POST',
      `${CONTROL}/webhooks/endpoints`,
    )(fill(`{"url":"http://127.0.0.1:9/","events":[`, (i) => `"user.creatd${i}"`, ']}')),
  },
  {
    name: 'row of a proxy answer with an evil path',
    first: [
      send(
        'PUT',
        `${CONTROL}/state/proxy_responses/prx_1`,
      )(JSON.stringify({ path: `/${'*a'.repeat(20)}!`, status: 200 })),
    ],
    ...get(`/proxy/${'a'.repeat(3000)}`),
    headers: ACCOUNT,
  },
];

const ruleGlobs: EvilInput[] = [
  { name: 'rule: on glob of 1 MB', ...load(scenario(`{"on":"${'*e'.repeat(499_000)}",${FAILS}}`)) },
  {
    name: 'rule: on path glob of 1 MB',
    ...load(scenario(`{"on":{"path":"/${'*a'.repeat(499_000)}"},${FAILS}}`)),
  },
  {
    name: 'rule: on path glob against a call',
    first: [load(scenario(`{"on":{"path":"/api/v1/organizations/${'*a'.repeat(30)}!"},${FAILS}}`))],
    ...get(`${API}/organizations/${'a'.repeat(3000)}`),
  },
  { name: 'rule: on an unknown name of 1 MB', ...load(scenario(`{"on":"${'e'.repeat(999_000)}",${FAILS}}`)) },
  {
    name: 'rule: on many unknown names',
    ...load(fill('{"name":"evil","rules":[{"on":[', (i) => `"UserService_List${i}"`, `],${FAILS}}]}`)),
  },
];

const expressions: EvilInput[] = [
  matched('expression (a|aa)+$', '(a|aa)+$', `${'a'.repeat(45)}!`),
  matched('expression (.*a){25}$', '^(.*a){25}$', `${'a'.repeat(180)}!`),
  matched('expression of many stars', `${'.*'.repeat(20)}b$`, 'a'.repeat(200)),
  matched('expression (a{1,300}){1,300}$', '(a{1,300}){1,3}$', `${'a'.repeat(199)}!`),
  { name: 'expression of nested counts', ...load(expression('((a{500}){500}){500}', '')[0].body!) },
  { name: 'expression of 1 MB', ...load(expression('a|'.repeat(490_000), '')[0].body!) },
  {
    name: 'expression of 1 MB of brackets',
    ...load(expression(nested('(', 'a', ')', 900_000), '')[0].body!),
  },
  { name: 'expression of 100 000 stars', ...load(expression('.*'.repeat(100_000), '')[0].body!) },
  {
    name: 'many expressions',
    ...load(rules((i) => `{"on":"*","when":{"headers":{"x":{"regex":"a${i}{1000}"}}},${FAILS}}`)),
  },
];

const yaml: EvilInput[] = [
  {
    name: 'YAML: aliases',
    ...load(
      fill('name: evil\na: &a 1\nb: [', () => '*a', ']'),
      YAML,
    ),
  },
  {
    name: 'YAML: 40 KB of aliases',
    ...load(
      fill('name: evil\na: &a 1\nb: [', () => '*a', ']', ',', 40_000),
      YAML,
    ),
  },
  {
    name: 'YAML: aliases of aliases',
    ...load(
      `name: evil\na0: &a0 [x]\n${Array.from({ length: 40 }, (_, i) => `a${i + 1}: &a${i + 1} [*a${i},*a${i},*a${i}]`).join('\n')}\n`,
      YAML,
    ),
  },
  {
    name: 'YAML: anchors',
    ...load(
      fill('name: evil\nb: [', (i) => `&a${i} 1`, ']'),
      YAML,
    ),
  },
  {
    name: 'YAML: anchors and aliases',
    ...load(
      fill('name: evil\nb: [', (i) => `&a${i} 1,*a${i}`, ']'),
      YAML,
    ),
  },
  { name: 'YAML: deep brackets', ...load(nested('[', '1', ']'), YAML) },
  { name: 'YAML: open brackets', ...load('['.repeat(999_999), YAML) },
  { name: 'YAML: deep braces', ...load(nested('{a: ', '1', '}'), YAML) },
  { name: 'YAML: deep dashes', ...load('- '.repeat(499_999), YAML) },
  { name: 'YAML: deep questions', ...load('? '.repeat(499_999), YAML) },
  {
    name: 'YAML: deep indentation',
    ...load(
      fill('', (i) => `${' '.repeat(i)}a:`, '', '\n'),
      YAML,
    ),
  },
  {
    name: 'YAML: many keys',
    ...load(
      fill('name: evil\n', (i) => `k${i}: 1`, '', '\n'),
      YAML,
    ),
  },
  {
    name: 'YAML: one key again and again',
    ...load(
      fill('name: evil\n', () => `k: 1`, '', '\n'),
      YAML,
    ),
  },
  {
    name: 'YAML: many elements',
    ...load(
      fill('name: evil\nrules:\n', () => '- 1', '', '\n'),
      YAML,
    ),
  },
  { name: 'YAML: many documents', ...load('---\n'.repeat(249_999), YAML) },
  { name: 'YAML: many comments', ...load('#\n'.repeat(499_999), YAML) },
  { name: 'YAML: many empty lines', ...load(`name: evil\n${'\n'.repeat(999_000)}`, YAML) },
  {
    name: 'YAML: tabs',
    ...load(
      fill('a:\n', () => '\tb: 1', '', '\n'),
      YAML,
    ),
  },
  { name: 'YAML: colons', ...load(': '.repeat(499_999), YAML) },
  { name: 'YAML: commas in brackets', ...load(`[${','.repeat(999_000)}]`, YAML) },
  {
    name: 'YAML: tags',
    ...load(
      fill('[', (i) => `!t${i} 1`, ']'),
      YAML,
    ),
  },
  {
    name: 'YAML: directives',
    ...load(
      fill('', (i) => `%TAG !t${i}! tag:x,2000:`, '\n---\n1', '\n'),
      YAML,
    ),
  },
  {
    name: 'YAML: merge keys',
    ...load(
      fill('a: &a {b: 1}\nc: {', () => '<<: *a', '}'),
      YAML,
    ),
  },
  { name: 'YAML: a long quoted text of lines', ...load(`name: "${'a\n'.repeat(490_000)}"`, YAML) },
  { name: 'YAML: a long plain text of lines', ...load(`name: ${'a\n '.repeat(330_000)}`, YAML) },
  { name: 'YAML: a long quoted text without end', ...load(`name: "${'a\\n'.repeat(330_000)}`, YAML) },
  { name: 'YAML: a block text of lines', ...load(`name: |\n${' a\n'.repeat(330_000)}`, YAML) },
  { name: 'YAML: a folded text of lines', ...load(`name: >\n${' a\n'.repeat(330_000)}`, YAML) },
  {
    name: 'YAML: complex keys',
    ...load(
      fill('{', () => '[1]: 1', '}'),
      YAML,
    ),
  },
  { name: 'YAML: a number of 1 MB', ...load(`name: ${'1'.repeat(999_000)}`, YAML) },
  { name: 'YAML: a long octal', ...load(`name: 0o${'1'.repeat(99_000)}`, YAML) },
];

const loading: EvilInput[] = [
  { name: 'JSON: deep brackets to a scenario', ...load(nested('[', '1', ']')) },
  { name: 'JSON: spaces', ...load(`{"name":"evil"${' '.repeat(990_000)}}`) },
  { name: '450 000 rules that are numbers', ...load(rules(() => '1')) },
  { name: '20 000 rules without an effect', ...load(rules(() => '{"on":"UserService_ListUsers"}')) },
  { name: 'empty rules', ...load(rules(() => '{}')) },
  { name: 'rules with many unknown keys', ...load(rules((i) => `{"on":"*","k${i}":1,${FAILS}}`)) },
  { name: 'unknown keys at the top', ...load(fill('{"name":"evil",', (i) => `"rulse${i}":1`, '}')) },
  {
    name: 'unknown keys of one rule',
    ...load(fill('{"name":"evil","rules":[{', (i) => `"onn${i}":1`, '}]}')),
  },
  {
    name: 'unknown members of a condition',
    ...load(
      fill('{"name":"evil","rules":[{"on":"*","when":{"body":{', (i) => `"nam${i}":1`, `}},${FAILS}}]}`),
    ),
  },
  {
    name: 'unknown parameters of a condition',
    ...load(
      fill('{"name":"evil","rules":[{"on":"*","when":{"query":{', (i) => `"nam${i}":1`, `}},${FAILS}}]}`),
    ),
  },
  {
    name: 'headers of a condition',
    ...load(
      fill('{"name":"evil","rules":[{"on":"*","when":{"headers":{', (i) => `"h${i}":"1"`, `}},${FAILS}}]}`),
    ),
  },
  {
    name: 'unknown members of a patch',
    ...load(
      fill('{"name":"evil","rules":[{"on":"OrganizationService_*","patch":{', (i) => `"nam${i}":1`, '}}]}'),
    ),
  },
  {
    name: 'wrong values in a patch',
    ...load(
      fill(
        '{"name":"evil","rules":[{"on":"OrganizationService_ListOrganization","patch":{"organizations":[',
        () => '{"id":1}',
        ']}}]}',
      ),
    ),
  },
  {
    name: 'unknown members of a reply',
    ...load(
      fill(
        '{"name":"evil","rules":[{"on":"UserService_*","reply":{"status":200,"body":{',
        (i) => `"nam${i}":1`,
        '}}}]}',
      ),
    ),
  },
  {
    name: 'headers of a reply',
    ...load(
      fill(
        '{"name":"evil","rules":[{"on":"*","reply":{"error":"gone","headers":{',
        (i) => `"h ${i}":"1"`,
        '}}}]}',
      ),
    ),
  },
  {
    name: 'violations of a reply',
    ...load(
      fill(
        '{"name":"evil","rules":[{"on":"*","reply":{"error":"invalid_argument","violations":[',
        () => '{}',
        ']}}]}',
      ),
    ),
  },
  { name: 'wrong includes', ...load(fill('{"name":"evil","include":[', (i) => `"rate-limit-on${i}"`, ']}')) },
  {
    name: 'wrong parameters',
    ...load(fill('{"name":"evil","params":{', (i) => `"p${i}":{"type":"x"}`, '}}')),
  },
  {
    name: 'parameters that nothing uses',
    ...load(fill('{"name":"evil","params":{', (i) => `"p${i}":1`, '}}')),
  },
  {
    name: 'values for unknown parameters',
    ...load(fill('{"name":"rate-limit-once","params":{', (i) => `"p${i}":1`, '}}')),
  },
  {
    name: 'keys beside a known name',
    ...load(fill('{"name":"rate-limit-once",', (i) => `"p${i}":1`, '}')),
  },
  { name: 'an unknown scenario of 1 MB', ...load(`{"name":"${'e'.repeat(999_000)}","params":{}}`) },
  {
    name: 'unknown placeholders in one text',
    ...load(`{"name":"evil","description":"${'${ab}'.repeat(190_000)}"}`),
  },
  {
    name: 'open placeholders in one text',
    ...load(`{"name":"evil","description":"${'${'.repeat(490_000)}"}`),
  },
  {
    name: 'half placeholders in one text',
    ...load(`{"name":"evil","description":"${'$'.repeat(990_000)}"}`),
  },
  {
    name: 'unknown placeholders in rules',
    ...load(rules((i) => `{"on":"\${p${i}}",${FAILS}}`)),
  },
  {
    name: 'placeholders of many parameters',
    ...load(
      fill(
        '{"name":"evil","params":{"a":"x"},"rules":[{"on":"*","when":{"body":{"a":{"in":[',
        () => '"${a}"',
        `]}}},${FAILS}}]}`,
      ),
    ),
  },
  {
    name: 'a large parameter in many places',
    ...load(
      fill(`{"name":"evil","params":{"a":"${'x'.repeat(20_000)}"},"description":"`, () => '${a}', `"}`, ''),
    ),
  },
  {
    name: 'a list as a parameter in many places',
    ...load(
      fill(
        `{"name":"evil","params":{"a":[${'1,'.repeat(9999)}1]},"rules":[{"on":"*","when":{"body":{"a":{"in":[`,
        () => '"${a}"',
        `]}}},${FAILS}}]}`,
      ),
    ),
  },
  {
    name: 'edits of unknown collections',
    ...load(fill('{"name":"evil","state":{', (i) => `"orgnizations${i}":[]`, '}}')),
  },
  {
    name: 'edits that are wrong',
    ...load(fill('{"name":"evil","state":{"organizations":[', () => '{}', ']}}')),
  },
  {
    name: 'edits with unknown members',
    ...load(fill('{"name":"evil","state":{"organizations":[{"insert":{', (i) => `"nam${i}":1`, '}}]}}')),
  },
  {
    name: 'edits that match nothing',
    ...load(
      fill(
        '{"name":"evil","state":{"organizations":[',
        (i) => `{"match":{"display_name":"n${i}"},"set":{"display_name":"x"}}`,
        ']}}',
      ),
    ),
  },
  {
    name: 'a match of many members',
    ...load(
      fill(
        '{"name":"evil","state":{"users":[{"match":{"metadata":{',
        (i) => `"nam${i}":"1"`,
        '}},"set":{"metadata":{}}}]}}',
      ),
    ),
  },
  {
    name: 'good edits',
    ...load(
      fill('{"name":"evil","state":{"organizations":[', (i) => `{"insert":{"display_name":"n${i}"}}`, ']}}'),
    ),
  },
  { name: 'good rules of all operations', ...load(rules(() => '{"on":"*","fault":{"garbage":true}}')) },
  {
    name: 'good rules of one operation',
    ...load(rules((i) => `{"on":"UserService_ListUsers","when":{"headers":{"x":"${i}"}},${FAILS}}`)),
  },
  {
    name: 'good rules that are never reached',
    ...load(rules(() => `{"on":"UserService_ListUsers",${FAILS}}`)),
  },
  {
    name: '12 000 good rules',
    ...load(
      scenario(
        Array.from(
          { length: 12_000 },
          (_, i) => `{"on":"UserService_ListUsers","times":1,"when":{"headers":{"x":"${i}"}},${FAILS}}`,
        ).join(','),
      ),
    ),
  },
  {
    name: '1 000 good rules',
    ...load(
      scenario(
        Array.from(
          { length: 1000 },
          (_, i) => `{"on":"UserService_ListUsers","times":1,"when":{"headers":{"x":"${i}"}},${FAILS}}`,
        ).join(','),
      ),
    ),
  },
  {
    name: '1 000 good rules in YAML',
    ...load(
      `name: evil\nrules:\n${Array.from(
        { length: 1000 },
        (_, i) =>
          `  - on: UserService_ListUsers\n    when: { headers: { x: '${i}' } }\n    times: 1\n    reply: { error: unavailable }\n`,
      ).join('')}`,
      YAML,
    ),
  },
  {
    name: 'a call that meets many rules',
    first: [
      load(
        rules(
          (i) => `{"on":"OrganizationService_*","when":{"body":{"display_name":{"regex":"a${i}"}}},${FAILS}}`,
          400_000,
        ),
      ),
    ],
    ...createOrganization(JSON.stringify({ display_name: 'b', metadata: {} })),
  },
  {
    name: 'the journal of such a call',
    first: [
      load(
        rules(
          (i) => `{"on":"OrganizationService_*","when":{"body":{"display_name":{"regex":"a${i}"}}},${FAILS}}`,
          400_000,
        ),
      ),
      createOrganization(JSON.stringify({ display_name: 'b', metadata: {} })),
    ],
    ...get(`${CONTROL}/requests?limit=1`),
  },
  {
    name: 'environment with many wrong scenarios',
    ...send('POST', `${CONTROL}/environments`)(fill('{"name":"e1","scenarios":[', () => '{"a":1}', ']}')),
  },
  {
    name: 'environment with many unknown scenarios',
    ...send('POST', `${CONTROL}/environments`)(fill('{"name":"e2","scenarios":[', (i) => `"rate${i}"`, ']}')),
  },
  {
    name: 'environment with many shipped scenarios',
    ...send(
      'POST',
      `${CONTROL}/environments`,
    )(fill('{"name":"e3","scenarios":[', () => '"rate-limit-once"', ']}')),
  },
];

const states: EvilInput[] = [
  { name: 'state of numbers', ...putState(fill('{"organizations":[', () => '1', ']}')) },
  { name: 'state of empty rows', ...putState(fill('{"organizations":[', () => '{}', ']}')) },
  { name: 'state of wrong rows', ...putState(fill('{"organizations":[', (i) => `{"id":${i}}`, ']}')) },
  {
    name: 'state of rows with unknown members',
    ...putState(
      fill('{"organizations":[', (i) => `{"id":"org_1000000000000${1000 + i}","display_nam":"x"}`, ']}'),
    ),
  },
  {
    name: 'state of one row with unknown members',
    ...putState(fill('{"organizations":[{', (i) => `"nam${i}":1`, '}]}')),
  },
  { name: 'state of unknown collections', ...putState(fill('{', (i) => `"orgnizations${i}":[]`, '}')) },
  { name: 'state of many includes', ...putState(fill('{"include":[', () => '"default"', ']}')) },
  { name: 'state of unknown includes', ...putState(fill('{"include":[', (i) => `"defalt${i}"`, ']}')) },
  {
    name: 'state of rows that hang on nothing',
    ...putState(
      fill(
        '{"include":["default"],"api_tokens":[',
        (i) =>
          `{"id":"apit_2000000000000${1000 + i}","organization_id":"org_9","create_time":"now","token":"t${i}"}`,
        ']}',
      ),
    ),
  },
  {
    name: 'state of good rows',
    ...putState(
      fill(
        '{"include":["default"],"organizations":[',
        (i) =>
          `{"id":"org_2000000000000${10_000 + i}","display_name":"n","region_code":"US","create_time":"now","update_time":"now"}`,
        ']}',
      ),
    ),
  },
  {
    name: 'state that is nested deep',
    ...putState(`{"organizations":[{"metadata":${nested('[', '1', ']', 900_000)}}]}`),
  },
  {
    name: 'row with unknown members',
    ...send(
      'PATCH',
      `${CONTROL}/state/organizations/org_10000000000000001`,
    )(fill('{', (i) => `"nam${i}":1`, '}')),
  },
  {
    name: 'row with a large map',
    ...send(
      'PATCH',
      `${CONTROL}/state/organizations/org_10000000000000001`,
    )(fill('{"metadata":{', (i) => `"nam${i}":"1"`, '}}')),
  },
  {
    name: 'row with a long name',
    ...send('PUT', `${CONTROL}/state/organizations/org_1`)(`{"display_name":"${'n'.repeat(990_000)}"}`),
  },
];

const repeats = (levels: number): string =>
  levels === 0 ? '1' : `{"$repeat":100,"of":${repeats(levels - 1)}}`;
const template = (body: string): readonly EvilCall[] => [
  send('PUT', `${CONTROL}/state/proxy_responses/prx_1`)(`{"path":"/*","status":200,"body":${body}}`),
];
const proxied: EvilCall = { ...get('/proxy/x'), headers: ACCOUNT };

/** Adds a tool with this input schema and response, both as JSON. */
const tool = (schema: string, response = '{}', id = 'tol_1'): EvilCall =>
  send(
    'PUT',
    `${CONTROL}/state/tools/${id}`,
  )(
    `{"provider":"GMAIL","tags":[],"updated_at":"now","definition":{"name":"evil_${id}","description":"x","input_schema":${schema}},"response":${response}}`,
  );
const callTool = (params = '{}', id = 'tol_1'): EvilCall =>
  send(
    'POST',
    `${API}/execute_tool`,
  )(`{"tool_name":"evil_${id}","connected_account_id":"ca_10000000000000301","params":${params}}`);
const ofList = (schema: string) => `{"properties":{"a":${schema}}}`;
const objects = (each: (index: number) => string) => fill('{"a":[', each, ']}', ',', 900_000);

/** Keywords of schemas whose plain implementation costs more than the length of schema and value. */
const keywords: EvilInput[] = [
  {
    name: 'tool schema: unique objects',
    first: [tool(ofList('{"type":"array","uniqueItems":true}'))],
    ...callTool(objects((i) => `{"b":${i},"c":"${'c'.repeat(28)}"}`)),
  },
  {
    name: 'tool schema: unique numbers',
    first: [tool(ofList('{"type":"array","uniqueItems":true}'))],
    ...callTool(objects((i) => `${i}`)),
  },
  {
    name: 'tool schema: unique items in a chain of references',
    first: [
      tool(
        `{"$defs":{${Array.from({ length: 60 }, (_, i) => `"d${i}":{"allOf":[{"$ref":"#/$defs/d${i + 1}"},{"uniqueItems":true}]}`).join(',')},"d60":{}},"properties":{"a":{"$ref":"#/$defs/d0"}}}`,
      ),
    ],
    ...callTool(objects((i) => `{"b":${i}}`)),
  },
  {
    name: 'tool schema: large enum for many items',
    first: [tool(ofList(fill('{"items":{"enum":[', (i) => `{"e":${i}}`, ']}}', ',', 95_000)))],
    ...callTool(objects((i) => `{"e":"${i}"}`)),
  },
  {
    name: 'tool schema: large const in many branches',
    first: [
      tool(
        ofList(
          `{"items":{"anyOf":[${Array.from({ length: 200 }, (_, i) => `{"const":[${'1,'.repeat(1000)}${i}]}`).join(',')}]}}`,
        ),
      ),
    ],
    ...callTool(objects((i) => `[${'1,'.repeat(1000)}${i + 200}]`)),
  },
  {
    name: 'tool schema: many pattern properties for many members',
    first: [
      tool(ofList(fill('{"patternProperties":{', (i) => `"k${i}$":{"type":"string"}`, '}}', ',', 95_000))),
    ],
    ...callTool(fill('{"a":{', (i) => `"n${i}":1`, '}}', ',', 900_000)),
  },
  {
    name: 'tool schema: many branches for many items',
    first: [tool(ofList(fill('{"items":{"oneOf":[', (i) => `{"minLength":${i + 100}}`, ']}}', ',', 95_000)))],
    ...callTool(objects(() => '"aaaaa"')),
  },
  {
    name: 'tool schema: many contains for many items',
    first: [tool(ofList(fill('{"allOf":[', (i) => `{"contains":{"minimum":${i + 9}}}`, ']}', ',', 95_000)))],
    ...callTool(objects(() => '1')),
  },
  {
    name: 'tool schema: many unevaluated properties',
    first: [
      tool(
        ofList(
          fill(
            '{"unevaluatedProperties":false,"anyOf":[',
            (i) => `{"properties":{"p${i}":true}}`,
            ']}',
            ',',
            200_000,
          ),
        ),
      ),
    ],
    ...callTool(fill('{"a":{', (i) => `"p${i}":1`, '}}', ',', 900_000)),
  },
  {
    name: 'tool schema: many patterns for a long text',
    first: [tool(ofList(fill('{"allOf":[', (i) => `{"pattern":"(a|b|c)*d${i}"}`, ']}', ',', 95_000)))],
    ...callTool(`{"a":"${'ab'.repeat(50_000)}"}`),
  },
  {
    name: 'tool schema: many lengths of a long text',
    first: [tool(ofList(fill('{"allOf":[', (i) => `{"maxLength":${i}}`, ']}', ',', 95_000)))],
    ...callTool(`{"a":"${'ab'.repeat(400_000)}"}`),
  },
  {
    name: 'tool schema: many names for many objects',
    first: [tool(ofList(fill('{"items":{"required":[', (i) => `"r${i}"`, ']}}', ',', 95_000)))],
    ...callTool(objects(() => '{}')),
  },
  {
    name: 'tool schema: property names of many members',
    first: [tool(ofList(fill('{"propertyNames":{"enum":[', (i) => `"e${i}"`, ']}}', ',', 95_000)))],
    ...callTool(fill('{"a":{', (i) => `"n${i}":1`, '}}', ',', 900_000)),
  },
  {
    name: 'tool schema: compiled, many properties',
    first: [tool(fill('{"properties":{', (i) => `"p${i}":{"type":"string"}`, '}}', ',', 95_000))],
    ...callTool(),
  },
  {
    name: 'tool schema: compiled, deep',
    first: [tool(nested('{"properties":{"a":', '{}', '}}', 1_000))],
    ...callTool(),
  },
  {
    name: 'tool schema: compiled, deep not',
    first: [tool(nested('{"not":', '{}', '}', 700))],
    ...callTool(),
  },
  {
    name: 'tool schema: compiled, references to inlined schemas',
    first: [
      tool(
        `{"$defs":{${Array.from({ length: 24 }, (_, i) => `"d${i}":{"allOf":[{"properties":{"x":{"$ref":"#/$defs/d${i + 1}"}}},{"properties":{"y":{"$ref":"#/$defs/d${i + 1}"}}}]}`).join(',')},"d24":{"type":"string"}},"$ref":"#/$defs/d0"}`,
      ),
    ],
    ...callTool(),
  },
  {
    name: 'tool schema: compiled, unevaluated properties of branches',
    first: [
      tool(
        fill(
          '{"unevaluatedProperties":false,"allOf":[',
          (i) => `{"if":{"properties":{"a${i}":true}},"then":{"properties":{"b${i}":true}}}`,
          ']}',
          ',',
          95_000,
        ),
      ),
    ],
    ...callTool(),
  },
];

const manyMembers = fill('{"a":{', (i) => `"n${i}":1`, '}}', ',', 98_000);
const list = (count: number, each: (index: number) => string) =>
  Array.from({ length: count }, (_, i) => each(i)).join(',');

/** Keywords of which Ajv makes much code, or code that counts members. */
const compiled: EvilInput[] = [
  {
    name: 'tool schema: many least numbers of members',
    first: [tool(ofList(`{"allOf":[${list(4000, () => '{"minProperties":1}')}]}`))],
    ...callTool(manyMembers),
  },
  {
    name: 'tool schema: compiled, names that depend on one',
    first: [tool(`{"dependentRequired":{"a":[${list(9000, (i) => `"n${i}"`)}]}}`)],
    ...callTool(),
  },
  {
    name: 'tool schema: compiled, dependencies',
    first: [tool(`{"dependencies":{"a":[${list(9000, (i) => `"n${i}"`)}]}}`)],
    ...callTool(),
  },
  {
    name: 'tool schema: compiled, no more than many patterns',
    first: [
      tool(`{"patternProperties":{${list(3000, (i) => `"p${i}$":true`)}},"additionalProperties":false}`),
    ],
    ...callTool(),
  },
  {
    name: 'tool schema: compiled, many short lists of names',
    first: [tool(`{"allOf":[${list(60, () => `{"required":[${list(190, (i) => `"p${i}"`)}]}`)}]}`)],
    ...callTool(),
  },
  { name: 'tool schema: asynchronous', first: [tool('{"$async":true,"required":["a"]}')], ...callTool() },
];

const placeholder = (name: string, written: string): EvilInput => ({
  name: `placeholder: ${name}`,
  first: [tool('{}', JSON.stringify({ a: `{{${written}}}` }))],
  ...callTool(),
});

const placeholders: EvilInput[] = [
  placeholder('many dates', 'date.betweens({"from":"2020-01-01","to":"2030-01-01","count":100000000})'),
  placeholder('exponent', 'string.alphanumeric(3e7)'),
  placeholder('hexadecimal', 'string.alphanumeric(0x1c9c380)'),
  placeholder('multiple', 'helpers.multiple(["a"],{"count":1e8})'),
  placeholder('fraction digits', 'commerce.price({"dec":1e8})'),
  placeholder('location', 'location.zipCode("###############################")'),
  placeholder('seed', 'seed(1)'),
  placeholder('numbers of a pattern', 'helpers.fromRegExp("[a-z]{9e7}")'),
  {
    name: 'template: wrong range of a whole number',
    first: [tool('{}', '{"a":{"$int":[10,1]}}')],
    ...callTool(),
  },
];

const LARGE_TEXT = JSON.stringify({ display_name: 'x'.repeat(900_000) });
const grown = (name: string, effect: string): EvilInput => ({
  name: `answer: ${name}`,
  first: [load(scenario(`{"on":"OrganizationService_CreateOrganization",${effect}}`))],
  ...createOrganization(LARGE_TEXT),
});
const MANY_VALUES = '${body.display_name}'.repeat(500);
const MANY_MEMBERS = Array.from({ length: 500 }, (_, i) => `"m${i}":"x\${body.display_name}"`).join(',');

const eightThousand = (each: string) => `{"a":{"$repeat":100,"of":{"$repeat":80,"of":${each}}}}`;

const answers: EvilInput[] = [
  grown('message of many values', `"reply":{"error":"unavailable","message":"${MANY_VALUES}"}`),
  grown('headers of many values', `"reply":{"error":"unavailable","headers":{${MANY_MEMBERS}}}`),
  grown('body of many values', `"reply":{"status":400,"contract":"violated","body":{${MANY_MEMBERS}}}`),
  grown(
    'body of many whole values',
    `"reply":{"status":400,"contract":"violated","body":{${MANY_MEMBERS.replaceAll('"x$', '"$')}}}`,
  ),
  grown(
    'patch of many values',
    `"patch":{"organization":{"metadata":{${MANY_MEMBERS}}}},"contract":"violated"`,
  ),
  grown(
    'changes of many values',
    `"do":{"organizations":[{"insert":{"display_name":"x","metadata":{${MANY_MEMBERS}}}}]},"reply":{"error":"unavailable"}`,
  ),
  {
    name: 'answer: many headers looked up often',
    first: [
      load(
        scenario(
          `{"on":"OrganizationService_CreateOrganization","reply":{"error":"invalid_argument","message":"${'${headers.a}'.repeat(10_000)}"}}`,
        ),
      ),
    ],
    ...createOrganization('{"display_name":"x"}'),
    headers: Object.fromEntries(Array.from({ length: 900 }, (_, i) => [`x${i}`, ''])),
  },
  {
    name: 'answer: many members',
    first: [
      load(
        scenario(
          `{"on":"OrganizationService_CreateOrganization","reply":{"status":400,"contract":"violated","body":[${list(4, () => `{${list(9000, (i) => `"m${i}":"\${body.a}"`)}}`)}]}}`,
        ),
      ),
    ],
    ...createOrganization('{"display_name":"x"}'),
  },
  {
    name: 'answer: many records made',
    first: [tool('{}', eightThousand('{"$insert":"message","with":{},"member":"id"}'))],
    ...callTool(),
  },
  {
    name: 'answer: latest of many records',
    first: [
      tool('{}', eightThousand('{"$insert":"message","with":{},"member":"id"}')),
      callTool(),
      tool('{}', eightThousand('{"$latest":"message","member":"id"}')),
    ],
    ...callTool(),
  },
  {
    name: 'answer: repeated parameters',
    first: [tool('{}', '{"a":{"$repeat":100,"of":{"$repeat":100,"of":{"$param":"a"}}}}')],
    ...callTool(`{"a":"${'x'.repeat(900_000)}"}`),
  },
  {
    name: 'answer: list of large records',
    first: [
      send(
        'PATCH',
        `${CONTROL}/state/providers/GMAIL`,
      )('{"records":{"large":{"key":"id","of":{"id":"{{string.uuid}}"}}}}'),
      tool('{}', '{"a":{"$insert":"large","with":{"text":{"$param":"a"}}}}'),
      ...Array.from({ length: 10 }, () => callTool(`{"a":"${'x'.repeat(900_000)}"}`)),
      tool('{}', '{"a":{"$repeat":100,"of":{"$list":"large"}}}', 'tol_2'),
    ],
    ...callTool('{}', 'tol_2'),
  },
];

const service: EvilInput[] = [
  { name: 'body of deep brackets', ...createOrganization(nested('[', '1', ']')) },
  { name: 'body of open brackets', ...createOrganization('['.repeat(999_999)) },
  { name: 'body of deep members', ...createOrganization(nested('{"a":', '1', '}')) },
  {
    name: 'body of unknown members',
    ...createOrganization(fill('{"display_name":"x",', (i) => `"nam${i}":1`, '}')),
  },
  {
    name: 'body of a large map',
    ...createOrganization(fill('{"display_name":"x","metadata":{', (i) => `"nam${i}":"1"`, '}}')),
  },
  {
    name: 'body of a map with wrong keys',
    ...createOrganization(
      fill('{"display_name":"x","metadata":{', (i) => `"${'k'.repeat(30)}${i}":"1"`, '}}'),
    ),
  },
  {
    name: 'body of a map with wrong values',
    ...createOrganization(fill('{"display_name":"x","metadata":{', (i) => `"k${i}":1`, '}}')),
  },
  {
    name: 'body of a list with wrong entries',
    ...send(
      'PATCH',
      `${API}/organizations/org_10000000000000001/settings`,
    )(fill('{"features":[', () => '1', ']}')),
  },
  {
    name: 'body of a list with unknown members',
    ...send(
      'PATCH',
      `${API}/organizations/org_10000000000000001/settings`,
    )(fill('{"features":[', (i) => `{"nam${i}":1}`, ']}')),
  },
  {
    name: 'body of a long list of texts',
    ...send(
      'POST',
      `${API}/roles`,
    )(fill('{"name":"evil","display_name":"x","permissions":[', (i) => `"p${i}"`, ']}')),
  },
  {
    name: 'body of a list of equal texts',
    ...send(
      'POST',
      `${API}/roles`,
    )(fill('{"name":"evil","display_name":"x","permissions":[', () => '"p"', ']}')),
  },
  { name: 'body of a long text', ...createOrganization(`{"display_name":"${'x'.repeat(990_000)}"}`) },
  {
    name: 'body of a long address of a mailbox',
    ...send(
      'POST',
      `${API}/organizations/org_10000000000000001/users`,
    )(`{"email":"${'a.'.repeat(400_000)}@${'a.'.repeat(90_000)}!"}`),
  },
  {
    name: 'body of a long address of a page',
    ...send(
      'POST',
      `${API}/clients`,
    )(
      `{"name":"x","client_type":"WEB_APP","post_logout_redirect_uris":["http://${'a:'.repeat(400_000)}"],"initiate_login_uri":"http://${'%41'.repeat(50_000)}!"}`,
    ),
  },
  {
    name: 'body of a long domain',
    ...send(
      'POST',
      `${API}/organizations/org_10000000000000001/domains`,
    )(`{"domain":"${'a-.'.repeat(330_000)}"}`),
  },
  {
    name: 'tool whose schema has an evil pattern',
    first: [
      send(
        'PUT',
        `${CONTROL}/state/tools/tol_1`,
      )(
        '{"provider":"GMAIL","tags":[],"updated_at":"now","definition":{"name":"evil_tool","description":"x","input_schema":{"type":"object","properties":{"a":{"type":"string","pattern":"^(a|aa)+$"}}}}}',
      ),
    ],
    ...send(
      'POST',
      `${API}/execute_tool`,
    )(
      `{"tool_name":"evil_tool","connected_account_id":"ca_10000000000000301","params":{"a":"${'a'.repeat(60)}!"}}`,
    ),
  },
  {
    name: 'tool call with large params',
    ...send(
      'POST',
      `${API}/execute_tool`,
    )(fill('{"tool_name":"gmail_fetch_mails","params":{', (i) => `"p${i}":1`, '}}')),
  },
  {
    name: 'tool call of an unknown tool of 1 MB',
    ...send('POST', `${API}/execute_tool`)(`{"tool_name":"${'e'.repeat(990_000)}"}`),
  },
  {
    name: 'form of many names',
    ...send('POST', '/oauth/token')(
      fill('grant_type=client_credentials&', (i) => `n${i}=1`, '', '&'),
      FORM,
    ),
  },
  {
    name: 'form of one name',
    ...send('POST', '/oauth/token')(
      fill('grant_type=client_credentials&', () => `n=1`, '', '&'),
      FORM,
    ),
  },
  {
    name: 'scope of many words',
    ...send('POST', '/oauth/token')(`grant_type=client_credentials&scope=${'a+'.repeat(490_000)}`, FORM),
  },
  {
    name: 'query of many names',
    ...get(`${API}/organizations?${fill('', (i) => `n${i}`, '', '&', 15_000)}`),
  },
  {
    name: 'control query of many names',
    ...get(`${CONTROL}/requests?${fill('', (i) => `n${i}`, '', '&', 15_000)}`),
  },
  { name: 'control path of many names', ...get(`${CONTROL}/${'a/'.repeat(7000)}`) },
  { name: 'control path of one long name', ...get(`${CONTROL}/${'a'.repeat(15_000)}`) },
  { name: 'unknown row with a long id', ...get(`${CONTROL}/state/users/${'a'.repeat(15_000)}`) },
  {
    name: 'answer template of repeats in repeats',
    first: template(repeats(4)),
    ...proxied,
  },
  { name: 'answer template of a long text', first: template('"{{string.alpha(20000000)}}"'), ...proxied },
  {
    name: 'answer template of many placeholders',
    first: template(JSON.stringify('{{person.firstName}}'.repeat(10_000))),
    ...proxied,
  },
  {
    name: 'answer template of an expression',
    first: template('"{{helpers.fromRegExp([a-z]{9999999})}}"'),
    ...proxied,
  },
  {
    name: 'verify: body of many members',
    first: [createOrganization('{"display_name":"x"}')],
    ...verify(fill('{"match":{"body":{', (i) => `"nam${i}":1`, '}}}')),
  },
  {
    name: 'verify: unknown keys',
    ...verify(fill('{"match":{', (i) => `"nam${i}":1`, '}}')),
  },
];

/** Below the limit at which the journal truncates a body. */
const KEPT = 32_000;

const journal: EvilInput[] = [
  {
    name: 'journal of many secrets',
    first: [createOrganization(fill('{"metadata":{', (i) => `"a${i}_token":"secret${i}"`, '}}', ',', KEPT))],
    ...get(`${CONTROL}/requests?limit=1`),
  },
  {
    name: 'journal of one secret in a long text',
    first: [
      createOrganization(
        `{"token":"${'-'.repeat(KEPT / 2)}","display_name":"${'-'.repeat(KEPT / 2 - 100)}"}`,
      ),
    ],
    ...get(`${CONTROL}/requests?limit=1`),
  },
  {
    name: 'journal of a text that is like many secrets',
    first: [
      createOrganization(
        JSON.stringify({ display_name: 'name="secret" '.repeat(2000), external_id: '://'.repeat(1000) }),
      ),
    ],
    ...get(`${CONTROL}/requests?limit=1`),
  },
  {
    name: 'journal of addresses',
    first: [createOrganization(JSON.stringify({ display_name: '://a:'.repeat(6000) }))],
    ...get(`${CONTROL}/requests?limit=1`),
  },
  {
    name: 'journal of a text that is not JSON',
    first: [createOrganization(' token'.repeat(5000))],
    ...get(`${CONTROL}/requests?limit=1`),
  },
  {
    name: 'journal of 100 unknown members each',
    first: [createOrganization(fill('{', (i) => `"nam${i}":1`, '}'))],
    ...get(`${CONTROL}/requests?limit=1`),
  },
  {
    name: 'journal of a large change',
    first: [
      send(
        'PATCH',
        `${CONTROL}/state/organizations/org_10000000000000001`,
      )(fill('{"metadata":{', (i) => `"nam${i}":"1"`, '}}', ',', 900_000)),
      send('PATCH', `${API}/organizations/org_10000000000000001`)('{"metadata":{"a":"b"}}'),
    ],
    ...get(`${CONTROL}/requests?limit=1`),
  },
];

export const EVIL_INPUTS: readonly EvilInput[] = [
  ...journalGlobs,
  ...ruleGlobs,
  ...expressions,
  ...yaml,
  ...loading,
  ...states,
  ...service,
  ...keywords,
  ...compiled,
  ...placeholders,
  ...answers,
  ...journal,
];
