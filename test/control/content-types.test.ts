import { describe, expect, it } from 'vitest';
import { operationsOf } from '../contract/bad-requests.ts';
import { boot, type Agent } from '../support/boot.ts';
import { witness } from './witness.ts';

const YAML = 'name: mine\nrules: []\n';

/** Sends a text unchanged, with this content type or with none. */
function sent(control: Agent, path: string, text: string, type?: string) {
  const request = control.post(path).serialize((body: unknown) => body as string);
  return type === undefined ? request.send(text).unset('content-type') : request.type(type).send(text);
}

/** The content types that a web page may send without a CORS preflight, and no content type. */
const SIMPLE = [
  'application/x-www-form-urlencoded',
  'text/plain',
  'multipart/form-data; boundary=x',
  undefined,
];

describe('a body of a control call', () => {
  const withBody = operationsOf('control').filter(({ mediaType }) => mediaType !== undefined);

  it.each(SIMPLE)('of the content type %s is not read by any operation', async (type) => {
    const { control, environment } = await boot({ now: '2030-01-01T00:00:00Z' });
    await environment('1');
    const before = await witness(control);

    for (const { verb, path } of withBody) {
      const request = control[verb](path.replace('/_control/v1', '')).serialize(
        (body: unknown) => body as string,
      );
      const { status, body } = await (type === undefined
        ? request.send('{}').unset('content-type')
        : request.set('content-type', type).send('{}'));

      expect({ path, status }).toEqual({ path, status: 415 });
      expect(body.message).toMatch(/ add -H "content-type: application\/(json|yaml)"$/);
    }
    expect(await witness(control)).toEqual(before);
  });

  it('from curl -d gets an error that says which header to add', async () => {
    const { control } = await boot();

    const { body } = await sent(
      control,
      '/clock/advance',
      '{"by": "1h"}',
      'application/x-www-form-urlencoded',
    ).expect(415);

    expect(body.message).toBe(
      'content type application/x-www-form-urlencoded is not one of application/json; ' +
        'with curl, add -H "content-type: application/json"',
    );
  });

  it('without a content type gets an error that says which one it needs', async () => {
    const { control } = await boot();

    const { body } = await sent(control, '/scenarios', YAML).expect(415);

    expect(body.message).toBe(
      'a body needs a content type: application/json or application/yaml; ' +
        'with curl, add -H "content-type: application/json"',
    );
  });

  it('is refused by an operation without a body, even when it is an empty object', async () => {
    const { control } = await boot();

    await sent(control, '/reset', '{}', 'application/x-www-form-urlencoded').expect(415);
    await sent(control, '/reset', '{}', 'application/json').expect(204);
  });

  it('may be missing where it is optional, whatever the content type says', async () => {
    const { control } = await boot();

    await control.post('/reset').expect(204);
    await control.post('/reset').set('content-type', 'application/x-www-form-urlencoded').expect(204);
    await control.post('/environments').expect(201);
  });

  it('is read as JSON or YAML, with or without parameters of the content type', async () => {
    const { control } = await boot();

    await sent(control, '/scenarios', YAML, 'application/yaml').expect(201);
    await sent(
      control,
      '/scenarios',
      JSON.stringify({ name: 'mine', rules: [] }),
      'Application/JSON; charset=utf-8',
    ).expect(201);
  });
});
