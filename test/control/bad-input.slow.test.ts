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
const ofOneThing = operations.filter(({ template }) => /\{(?!environment)/.test(template));
const ofAnEnvironment = operations.filter(
  ({ template }) =>
    template.includes('{environment}') || templates.has(template.replace(`${PREFIX}/`, BOUND)),
);

/** A state may be as large as a fixture, 100 MB; everything else 1 MB. */
const HUGE = gzipSync(Buffer.alloc(101_000_000));
const LARGE = gzipSync(Buffer.alloc(2_000_000));
const tooLarge = ({ template }: Documented) => (template.endsWith('/state') ? HUGE : LARGE);

/** Of the walk's paths. It is the header's environment too, so both bindings of a call are about it. */
const HERE = '1';
const NEAREST = 'worker-1';
const NOWHERE = 'worker-2';

const { same } = bootOnce();
let isOccupied = false;

/** An environment that has something to lose: a scenario, a journaled call, a clock of its own. */
async function occupied() {
  const booted = await same();
  if (!isOccupied) await occupy(booted);
  isOccupied = true;
  const control = controlOf(booted.understudy.app);
  return { control: everywhere(control), understudy: booted.understudy, look: () => witness(control) };
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

/** Calls about that environment. */
const controlOf = (app: Understudy['app']) => agent(app, '/_control/v1', { 'understudy-environment': HERE });

interface Refusal {
  details?: { validation_error_info?: { field_violations?: { field: string; description: string }[] } }[];
}

const violationsOf = ({ details }: Refusal) => details?.[0]?.validation_error_info?.field_violations ?? [];

const withQuery = (path: string, query: string) => `${path}${path.includes('?') ? '&' : '?'}${query}`;

/** Both bindings of a call are one operation. */
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
      expect(response.text).not.toContain('regex'); // what is wanted is said in words
    }
    expect(await look()).toEqual(before);
  });

  it('refuses what it has no name for, gives the nearest that it has, and changes nothing', async () => {
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

  it('refuses a body that it can not read, and changes nothing', async () => {
    const { control, look } = await occupied();
    const before = await look();
    const send = (mediaType: string, bytes: string | Buffer, encoding = 'identity') =>
      raw(control[operation.verb](operation.path).set('content-encoding', encoding), mediaType, bytes);

    // However small it is on the way.
    const large = await send('application/json', tooLarge(operation), 'gzip');
    expectRefusal(large, [413], operation);
    expect(large.body.message).toMatch(/^the request body is larger than \d+ MB$/);

    if (operation.mediaType === undefined) {
      const stray = await send('application/json', '{"only":"state"}');
      expectRefusal(stray, [400], operation);
      expect(stray.body.message).toBe(`${baseOf(operation.id)} takes no body`);
    } else {
      for (const [, bytes] of MALFORMED)
        expectRefusal(await send('application/json', bytes), [400], operation);
      const other = await send('text/csv', 'name\nred\n');
      expectRefusal(other, [415], operation);
      expect(other.body.message).toMatch(/^content type text\/csv is not one of application\/json/);
    }
    expect(await look()).toEqual(before);
  });
});

describe.each(withJson)('$id', (operation) => {
  it('answers whatever JSON it is sent, and never with a failure of its own', async () => {
    await tryAnyJson(await disposable(HERE), operation, RUNS.fast);
  });
});

describe.each(ofAnEnvironment)('$id', (operation) => {
  it('does not find an environment that is not there, and names the nearest', async () => {
    const { control } = await occupied();
    const path = operation.path.replace(`/environments/${HERE}`, `/environments/${NOWHERE}`);
    const request = call(control, operation, path, operation.body);

    const response = await request.set('understudy-environment', NOWHERE);

    expectRefusal(response, [404], operation);
    expect(response.body.message).toBe('environment worker-2 not found; did you mean worker-1?');
  });
});

describe.each(ofOneThing)('$id', (operation) => {
  it('does not find what is not there, says what there is, and changes nothing', async () => {
    const { control, look } = await occupied();
    const before = await look();

    const response = await call(control, operation, operation.path, operation.body);

    expectRefusal(response, [404], operation);
    expect(response.body.message).toMatch(/ (not found|not loaded); (did you mean|there is)/);
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
  ])('of no call, such as %s, is answered with the one that was meant', async (path, meant) => {
    const { control } = await same();

    const response = await control.get(path).expect(404);

    expect(response.body.message).toBe(
      `no operation has the path ${PREFIX}${path}; did you mean ${meant.slice(1)}?`,
    );
  });

  it('that has no such method is answered with those that it has', async () => {
    const { control } = await same();

    const response = await control.post('/clock').expect(405);

    expect(response.body.message).toBe('/_control/v1/clock has no POST, it has GET, PUT');
  });
});
