// The document's webhooks: openapi/event-types.yaml has the data of each, the envelope around it is the same for all.

/** Writes out the webhooks that are events. */
export function putEnvelopes(document) {
  for (const [type, { post }] of Object.entries(document.webhooks ?? {})) {
    const { 'x-event': event, requestBody } = post;
    if (!event) continue;
    delete post['x-event'];
    const { schema } = requestBody.content['application/json'];
    Object.assign(post, {
      tags: ['Webhooks'],
      description:
        'Sent to every webhook endpoint that wants this type, signed according to Standard Webhooks.',
      security: [],
      requestBody: {
        required: true,
        content: { 'application/json': { schema: envelope(type, event, schema) } },
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
