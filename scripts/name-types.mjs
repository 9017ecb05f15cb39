// Writes names as unions: of dialects, and what the JavaScript client takes: operations, events, fixtures.
import { readdirSync } from 'node:fs';
import { basename, extname } from 'node:path';

const VERBS = ['get', 'put', 'post', 'delete', 'patch'];

/** The text of src/contract/names.gen.ts. `service` is the API's document with webhooks, `control` that of the control API. */
export function nameTypes(service, control) {
  const operations = Object.values(service.paths).flatMap((item) =>
    VERBS.flatMap((verb) => item[verb]?.operationId.replace(/\d+$/, '') ?? []),
  );
  const dialects = [service, control].flatMap(({ paths }) =>
    Object.values(paths).flatMap((item) => VERBS.flatMap((verb) => item[verb]?.['x-dialect'] ?? [])),
  );
  const sent = Object.entries(service.webhooks);
  const triggers = sent.flatMap(([name]) => (name.startsWith('interceptor.') ? [name.slice(12)] : []));
  const events = sent.flatMap(([name, { post }]) => (post['x-event'] ? [name] : []));
  return [
    union('OperationName', 'An operation of the API.', operations),
    union('EventName', 'The type of an event.', events),
    union('TriggerName', 'A trigger point of interceptors.', triggers),
    union('ActivityKind', 'What `events()` tells of.', activityKinds(control)),
    union('DialectName', 'How a surface talks; `src/pipeline/dialects.ts` says how.', dialects),
    union('FixtureName', 'A fixture that comes with Understudy.', namesIn('fixtures', '.json')),
  ].join('\n');
}

const union = (name, comment, values) =>
  `/** ${comment} */\nexport type ${name} =\n${[...new Set(values)].map((value) => `  | '${value}'`).join('\n')};\n`;

/** The parameter is a list, so its schema names the kinds in a pattern. */
function activityKinds({ paths }) {
  const { parameters } = paths['/_control/v1/events'].get;
  const { schema } = parameters.find(({ name }) => name === 'kinds');
  return /\(([^)]*)\)/.exec(schema.pattern)[1].split('|');
}

export const namesIn = (folder, extension) =>
  readdirSync(folder)
    .filter((file) => extname(file) === extension)
    .map((file) => basename(file, extension));
