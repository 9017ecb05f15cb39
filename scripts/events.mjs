// The document's webhooks: openapi/event-types.yaml has the data of each, the envelope around it is the same for all.

/** What the program knows of each type of event. */
export function eventTable(document) {
  const events = eventsOf(document).map(([type, { 'x-event': event, requestBody }]) => [
    type,
    { object: event.object, example: requestBody.content['application/json'].example },
  ]);
  const column = (name) => Object.fromEntries(events.map(([type, event]) => [type, event[name]]));
  return { objects: column('object'), examples: column('example') };
}

const eventsOf = ({ webhooks = {} }) =>
  Object.entries(webhooks).flatMap(([type, { post }]) => (post['x-event'] ? [[type, post]] : []));

/** Writes out the webhooks that are events. */
export function putEnvelopes(document) {
  for (const [type, post] of eventsOf(document)) {
    const { 'x-event': event, requestBody } = post;
    const { schema, example = exampleOf(document, type, schema) } = requestBody.content['application/json'];
    Object.assign(post, {
      tags: ['Webhooks'],
      description:
        'Sent to every webhook endpoint that wants this type, signed according to Standard Webhooks.',
      security: [],
      requestBody: {
        required: true,
        content: {
          'application/json': {
            schema: envelope(type, event, schema),
            example: exampleEnvelope(type, event, example),
          },
        },
      },
      responses: {
        200: {
          description: 'Any 2xx status counts as success. Understudy retries after every other answer.',
        },
      },
    });
  }
}

function envelope(type, { object, of: concerned }, data) {
  const properties = {
    spec_version: { type: 'string', const: '1' },
    id: { type: 'string', pattern: '^evt_', maxLength: 32 },
    type: { type: 'string', const: type },
    event: { type: 'string', const: type, description: 'The same as `type`.' },
    object: { type: 'string', const: object },
    occurred_at: { type: 'string', format: 'date-time' },
    environment_id: { type: 'string', pattern: '^env_' },
    ...(concerned !== 'environment' && { organization_id: { type: 'string', pattern: '^org_' } }),
    display_name: { type: 'string', description: 'A title in words.' },
    data,
  };
  const optional = ['display_name', ...(concerned === 'user' ? ['organization_id'] : [])];
  const required = Object.keys(properties).filter((name) => !optional.includes(name));
  return { type: 'object', additionalProperties: false, required, properties };
}

/** The example of the data's schema, unless the type has one of its own. */
function exampleOf({ components }, type, { $ref }) {
  const [example] = components.schemas[$ref.split('/').at(-1)].examples ?? [];
  if (!example) throw new Error(`openapi/event-types.yaml: ${type}: the schema of its data needs examples`);
  return example;
}

const exampleEnvelope = (type, { object, of: concerned }, data) => ({
  spec_version: '1',
  id: 'evt_10000000000000501',
  type,
  event: type,
  object,
  occurred_at: '2026-03-01T09:00:00Z',
  environment_id: 'env_10000000000000001',
  ...(concerned !== 'environment' && { organization_id: 'org_10000000000000001' }),
  data,
});
