import type { ReferenceOperation, SdkMethods } from '../server/reference/shapes.ts';
import { fillable, type Given, type Sample } from './sample.ts';

export const LANGUAGES = ['Node', 'Python', 'Go', 'Java', 'curl'] as const;
export type Language = (typeof LANGUAGES)[number];

interface Shown {
  operation: ReferenceOperation;
  sample: Sample;
  given: Given;
  origin: string;
  environment: string;
}

interface Example {
  /** What the reader must know of the text. */
  note: string;
  text: string;
}

/** A program that makes the call: by the official SDK where its method is known, otherwise over HTTP. */
export function exampleIn(language: Language, shown: Shown): Example {
  const { sdk } = shown.operation;
  if (language === 'curl') return { note: '', text: inCurl(shown) };
  if (language === 'Node' && sdk?.node !== undefined)
    return { note: OFFICIAL, text: bySdk(NODE, sdk.node, shown) };
  if (language === 'Python' && sdk?.python !== undefined)
    return { note: OFFICIAL, text: bySdk(PYTHON, sdk.python, shown) };
  return { note: noteFor(language, shown.operation), text: OVER_HTTP[language](shown) };
}

const OFFICIAL = 'The official SDK.';

function noteFor(language: Language, { document, sdk }: ReferenceOperation): string {
  if (document === 'control') return 'Over HTTP. The official SDKs do not call the control API.';
  if (language === 'Node' || language === 'Python')
    return `Over HTTP. The official SDK for ${language} has no method of its own for this operation.`;
  const rpc = sdk as SdkMethods | undefined;
  return rpc === undefined
    ? 'Over HTTP. The operation has no RPC that an SDK could call.'
    : `Over HTTP. The official SDK for ${language} makes this call as the RPC ${rpc.rpc}.`;
}

interface SdkStyle {
  head: string;
  call: (method: string, values: readonly string[]) => string;
  comment: string;
  value: (text: string) => string;
}

const NODE: SdkStyle = {
  head: `import { ScalekitClient } from '@scalekit-sdk/node';

const client = new ScalekitClient(
  process.env.SCALEKIT_ENVIRONMENT_URL,
  process.env.SCALEKIT_CLIENT_ID,
  process.env.SCALEKIT_CLIENT_SECRET,
);`,
  call: (method, values) => `const answer = await client.${method}(${values.join(', ')});`,
  comment: '//',
  value: (text) => (text.includes('\n') ? JSON.stringify(text) : `'${text.replaceAll(/['\\]/g, '\\$&')}'`),
};

const PYTHON: SdkStyle = {
  head: `import os
from scalekit import ScalekitClient

client = ScalekitClient(
    os.environ["SCALEKIT_ENVIRONMENT_URL"],
    os.environ["SCALEKIT_CLIENT_ID"],
    os.environ["SCALEKIT_CLIENT_SECRET"],
)`,
  call: (method, values) => `answer = client.${method}(${values.join(', ')})`,
  comment: '#',
  value: (text) => JSON.stringify(text),
};

/** `method` is written `user.getUser(userId, options?)`. Parameters whose values are not known keep their names. */
function bySdk(style: SdkStyle, method: string, { operation, given }: Shown): string {
  const [, name = '', list = ''] = /^(.*?)\((.*)\)$/.exec(method) ?? [];
  const parameters = list.split(', ').filter(Boolean);
  const values = parameters.map((each) => valueOf(each.replace(/\?$/, ''), operation, given));
  const last = parameters.findLastIndex((each, index) => !each.endsWith('?') || values[index] !== undefined);
  const written = parameters.slice(0, last + 1).map((each, index) => {
    const value = values[index];
    return value === undefined ? each.replace(/\?$/, '') : style.value(value);
  });
  const explained = list === '' ? '' : `${style.comment} ${method}\n`;
  return `${style.head}\n\n${explained}${style.call(name, written)}`;
}

/** The value of the path variable with this name; the last variable may be called `id`. */
function valueOf(name: string, operation: ReferenceOperation, given: Given): string | undefined {
  const snake = name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  const known = fillable(operation).filter(({ in: place }) => place === 'path');
  const found =
    known.find((each) => each.name === snake) ??
    (snake.endsWith('id') ? known.find((each) => each.name === 'id') : undefined);
  return found && (given[found.name] || undefined);
}

const isSecured = ({ operation }: Shown) => operation.secured;
const addressOf = ({ origin, sample }: Shown) => `${origin}${sample.target}`;

/** The address that the commands of Understudy call unless they are told another one. */
const USUAL_ORIGIN = 'http://localhost:8080';

function inCurl(shown: Shown): string {
  const { sample, origin, environment } = shown;
  const options = [
    ...(origin === USUAL_ORIGIN ? [] : [`--url ${origin}`]),
    ...(environment === 'default' ? [] : [`--environment ${environment}`]),
  ];
  const token = ['npx understudy-server token', ...options].join(' ');
  return [
    `curl -X ${sample.method} ${quoted(addressOf(shown))}`,
    ...(isSecured(shown) ? [`-H "authorization: Bearer $(${token})"`] : []),
    ...(sample.type === undefined ? [] : [`-H ${quoted(`content-type: ${sample.type}`)}`]),
    ...(sample.body === undefined ? [] : [`-d ${quoted(sample.body)}`]),
  ].join(' \\\n  ');
}

const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;

/** `npx understudy-server token` prints one. */
const TOKEN = 'SCALEKIT_TOKEN';

const OVER_HTTP: Record<Exclude<Language, 'curl'>, (shown: Shown) => string> = {
  Node: (shown) => {
    const { method, type, body } = shown.sample;
    const headers = [
      ...(isSecured(shown) ? [`authorization: \`Bearer \${process.env.${TOKEN}}\``] : []),
      ...(type === undefined ? [] : [`'content-type': '${type}'`]),
    ];
    return `const response = await fetch(${NODE.value(addressOf(shown))}, {
  method: '${method}',${headers.length > 0 ? `\n  headers: { ${headers.join(', ')} },` : ''}${
    body === undefined ? '' : `\n  body: ${NODE.value(oneLine(body))},`
  }
});
console.log(response.status, await response.text());`;
  },
  Python: (shown) => {
    const { method, type, body } = shown.sample;
    const headers = [
      ...(isSecured(shown) ? [`"authorization": f"Bearer {os.environ['${TOKEN}']}"`] : []),
      ...(type === undefined ? [] : [`"content-type": "${type}"`]),
    ];
    return `import os
import urllib.request

request = urllib.request.Request(
    ${JSON.stringify(addressOf(shown))},
    method="${method}",
    headers={${headers.join(', ')}},${body === undefined ? '' : `\n    data=${JSON.stringify(oneLine(body))}.encode(),`}
)
with urllib.request.urlopen(request) as response:
    print(response.status, response.read().decode())`;
  },
  Go: (shown) => {
    const { method, type, body } = shown.sample;
    const reader = body === undefined ? 'nil' : `strings.NewReader(${JSON.stringify(oneLine(body))})`;
    const headers = [
      ...(isSecured(shown) ? [`request.Header.Set("Authorization", "Bearer "+os.Getenv("${TOKEN}"))`] : []),
      ...(type === undefined ? [] : [`request.Header.Set("Content-Type", "${type}")`]),
    ];
    return `request, err := http.NewRequest("${method}", ${JSON.stringify(addressOf(shown))}, ${reader})
if err != nil {
	return err
}
${headers.map((line) => `${line}\n`).join('')}response, err := http.DefaultClient.Do(request)`;
  },
  Java: (shown) => {
    const { method, type, body } = shown.sample;
    const publisher =
      body === undefined
        ? 'BodyPublishers.noBody()'
        : `BodyPublishers.ofString(${JSON.stringify(oneLine(body))})`;
    const headers = [
      ...(isSecured(shown) ? [`.header("authorization", "Bearer " + System.getenv("${TOKEN}"))`] : []),
      ...(type === undefined ? [] : [`.header("content-type", "${type}")`]),
    ];
    return `HttpRequest request = HttpRequest.newBuilder(URI.create(${JSON.stringify(addressOf(shown))}))
${headers.map((line) => `        ${line}\n`).join('')}        .method("${method}", ${publisher})
        .build();
HttpResponse<String> response = HttpClient.newHttpClient().send(request, BodyHandlers.ofString());`;
  },
};

/** A body in JSON without its line breaks, so that it fits into a text of the program. */
function oneLine(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body));
  } catch {
    return body;
  }
}
