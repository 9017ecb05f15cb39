import { gzipSync } from 'node:zlib';
import supertest from 'supertest';
import { describe, expect, it } from 'vitest';
import type { Understudy } from '../../src/simulator.ts';
import { RUNS, tryAnyJson } from '../contract/any-json.ts';
import { MALFORMED, operationsOf, type Documented } from '../contract/bad-requests.ts';
import { call, expectRefusal, fieldsOf, raw } from '../contract/refusals.ts';
import { agent, bootOnce, type Booted } from '../support/boot.ts';
import { disposable, everywhere } from './everywhere.ts';
import { witness } from './witness.ts';

const PREFIX = '/_control/v1';
const BOUND = `${PREFIX}/environments/{environment}/`;

const operations = operationsOf('control');
const templates = new Set(operations.map(({ template }) => template));
const withJson = operations.filter(({ mediaType }) => mediaType === 'application/json');
/** Saving a scenario file creates what the path names. */
const ofOneThing = operations.filter(
  ({ id, template }) => /\{(?!environment)/.test(template) && id !== 'Control_PutScenarioFile',
);
const ofAnEnvironment = operations.filter(
  ({ template }) =>
    template.includes('{environment}') ||
    (template.startsWith(PREFIX) && templates.has(template.replace(`${PREFIX}/`, BOUND))),
);

/** A state may have 100 MB, like a fixture; every other body 1 MB. */
const HUGE = gzipSync(Buffer.alloc(101_000_000));
const LARGE = gzipSync(Buffer.alloc(2_000_000));
const tooLarge = ({ template }: Documented) => (template.endsWith('/state') ? HUGE : LARGE);

/** The environment in the walk's paths and in the header, so both bindings of a call use it. */
const HERE = '1';
const NEAREST = 'worker-1';
const NOWHERE = 'worker-2';

const { same } = bootOnce();
let isOccupied = false;

/** An environment that a wrong call could damage: it has a scenario, a journaled call and a frozen clock. */
async function occupied() {
  const booted = await same();
  if (!isOccupied) await occupy(booted);
  isOccupied = true;
  const { app } = booted.understudy;
  const control = controlOf(app);
  return { control: everywhere(app, HERE), look: () => witness(control) };
}

async function occupy({ environment, control: everything }: Booted): Promise<void> {
  const clock = { mode: 'frozen', at: '2030-01-01T00:00:00Z' };
  await everything.put('/clock').send(clock).expect(200);
  const { api, control } = await environment(HERE, { clock });
  await environment(NEAREST);
  await control.post('/scenarios').send({ name: 'rate-limit-once' }).expect(201);
  await api.get('/api/v1/organizations').expect(429);
  await api.post('/api/v1/organizations').send({ display_name: 'Acme' }).expect(201);
}

/** Sends calls to that environment. */
const controlOf = (app: Understudy['app']) => agent(app, '/_control/v1', { 'understudy-environment': HERE });

interface Refusal {
  details?: { validation_error_info?: { field_violations?: { field: string; description: string }[] } }[];
}

const violationsOf = ({ details }: Refusal) => details?.[0]?.validation_error_info?.field_violations ?? [];

const withQuery = (path: string, query: string) => `${path}${path.includes('?') ? '&' : '?'}${query}`;

/** Both bindings of a call belong to one operation. */
const baseOf = (id: string) => id.replace(/2$/, '');

describe.each(operations)('$id', (operation) => {
  it('refuses every request that breaks a rule of the document, names the field and changes nothing', async () => {
    const { control, look } = await occupied();
    const before = await look();

    for (const { rule, path, body, field } of operation.broken) {
      const response = await call(control, operation, path, body);

      expect({ rule, status: response.status, body: response.body }).toMatchObject({ status: 400 });
      expectRefusal(response, [400], operation);
      expect([rule, ...fieldsOf(response)]).toContain(field);
      expect(response.text).not.toContain('regex'); // the rule is described in words
    }
    expect(await look()).toEqual(before);
  });

  it('refuses unknown fields, suggests the nearest name and changes nothing', async () => {
    const { control, look } = await occupied();
    const before = await look();
    const { id, path, body, members, queries } = operation;
    const strangers = [
      { field: 'query.no_such', path: withQuery(path, 'no_such=1'), body, meant: undefined },
      ...queries.map((name) => ({
        field: `query.${name}x`,
        path: withQuery(path, `${name}x=1`),
        body,
        meant: name,
      })),
      ...members.map((name) => ({
        field: `${name}x`,
        path,
        body: { ...(body as object), [`${name}x`]: 1 },
        meant: name,
      })),
    ];

    for (const stranger of strangers) {
      const response = await call(control, operation, stranger.path, stranger.body);

      expectRefusal(response, [400], operation);
      const violation = violationsOf(response.body).find(({ field }) => field === stranger.field);
      const hint = stranger.meant === undefined ? '' : `; did you mean ${stranger.meant}?`;
      const description = expect.stringMatching(
        `^${baseOf(id)} has no such field${hint.replace('?', '\\?')}`,
      );
      expect(violation).toEqual({ field: stranger.field, description, constraint: 'unknown_field' });
    }
    expect(await look()).toEqual(before);
  });

  it('refuses a body that it cannot read, and changes nothing', async () => {
    const { control, look } = await occupied();
    const before = await look();
    const send = (mediaType: string, bytes: string | Buffer, encoding = 'identity') =>
      raw(control[operation.verb](operation.path).set('content-encoding', encoding), mediaType, bytes);

    // The limit applies to the decompressed size.
    const large = await send('application/json', tooLarge(operation), 'gzip');
    expectRefusal(large, [413], operation);
    expect(large.body.message).toMatch(/^the request body is larger than \d+ MB$/);

    if (operation.mediaType === undefined) {
      const stray = await send('application/json', '{"only":"state"}');
      expectRefusal(stray, [400], operation);
      expect(stray.body.message).toBe(`${baseOf(operation.id)} takes no body`);
    } else {
      const { mediaType } = operation; // YAML can be read whatever the text is
      for (const [, bytes] of mediaType === 'application/json' ? MALFORMED : [])
        expectRefusal(await send(mediaType!, bytes), [400], operation);
      const other = await send('text/csv', 'name\nred\n');
      expectRefusal(other, [415], operation);
      expect(other.body.message).toMatch(/^content type text\/csv is not one of application\/(json|yaml)/);
    }
    expect(await look()).toEqual(before);
  });
});

describe.each(withJson)('$id', (operation) => {
  it('accepts or rejects any JSON body, and never responds with a server error', async () => {
    await tryAnyJson(await disposable(HERE), operation, RUNS.fast);
  });
});

describe.each(ofAnEnvironment)('$id', (operation) => {
  it('responds 404 for an unknown environment and suggests the nearest name', async () => {
    const { control } = await occupied();
    const path = operation.path.replace(`/environments/${HERE}`, `/environments/${NOWHERE}`);
    const request = call(control, operation, path, operation.body);

    const response = await request.set('understudy-environment', NOWHERE);

    expectRefusal(response, [404], operation);
    expect(response.body.message).toBe('environment worker-2 not found; did you mean worker-1?');
  });
});

describe.each(ofOneThing)('$id', (operation) => {
  it('responds 404 for an unknown name, lists what exists and changes nothing', async () => {
    const { control, look } = await occupied();
    const before = await look();

    const response = await call(control, operation, operation.path, operation.body);

    expectRefusal(response, [404], operation);
    expect(response.body.message).toMatch(/ (not found|not loaded); (did you mean|known|there are none)/);
    expect(await look()).toEqual(before);
  });
});

describe('a path', () => {
  const withVariables = operations.filter(({ template }) => template.includes('{'));

  it.each(withVariables)('with malformed percent-encoding is refused by $id', async (operation) => {
    const { understudy } = await same();
    const path = operation.template.replace(/\{[^}]+\}/g, '%E0%A4%A');

    const response = await supertest(understudy.app)[operation.verb](path);

    expectRefusal(response, [400], operation);
    expect(response.body.message).toContain('malformed percent-encoding in the path');
  });

  it.each([
    ['/enviroments', '/environments'],
    ['/clock/advanced', '/clock/advance'],
    ['/environments/default/stat/hash', '/environments/default/state/hash'],
  ])('that is unknown, such as %s, gets a suggestion', async (path, meant) => {
    const { control } = await same();

    const response = await control.get(path).expect(404);

    expect(response.body.message).toBe(
      `no operation has the path ${PREFIX}${path}; did you mean ${meant.slice(1)}?`,
    );
  });

  it('with an unknown method gets the list of its methods', async () => {
    const { control } = await same();

    const response = await control.post('/clock').expect(405);

    expect(response.body.message).toBe('/_control/v1/clock has no POST, it has GET, PUT');
  });
});
