import { afterAll, describe, expect, it } from 'vitest';
import { MALFORMED, operationsOf, type Documented } from '../contract/bad-requests.ts';
import { agentFor, call, fieldsOf, raw } from '../contract/refusals.ts';
import { NO_ROW, WANTED } from '../contract/valid-requests.ts';
import { agentWith, bootOnce, type Agent, type Booted } from '../support/boot.ts';

const operations = operationsOf('openapi');
/** MCP servers and SCIM check their messages themselves, and their tests break those rules. */
const checked = operations.filter(({ dialect }) => dialect !== 'mcp' && dialect !== 'scim');
/** SCIM looks for the directory of the path first. */
const secured = operations.filter((operation) => operation.secured && operation.dialect !== 'scim');
const withJson = checked.filter(({ mediaType }) => mediaType === 'application/json');
const withForm = checked.filter(({ mediaType }) => mediaType !== undefined && mediaType !== '*/*');
const ofOneRow = operations.filter(({ id, template }) => template.includes('{') && !(id in NO_ROW));

const { same } = bootOnce();

interface Refused {
  kind: string;
  summary: string;
}

let refusals = 0;
const sentences = new Set<string>();

/** `npx vitest run test/why/walk --reporter=verbose` shows the figures. */
afterAll(() => {
  console.log(`${refusals} refusals, ${sentences.size} distinct sentences without their numbers`);
});

const FALLBACKS = ['The answer comes from the state of the environment.', 'The call is under way.'];

/** Why the call of this answer was refused. It is never the fallback. */
async function whyOf({ control }: Booted, headers: Record<string, string>): Promise<Refused> {
  const { body } = await control.get(`/requests/${headers['understudy-request-id']}`).expect(200);
  const { kind, summary } = body.why as Refused;
  refusals += 1;
  sentences.add(summary.replaceAll(/\d+/g, '#'));
  expect({ id: body.id, status: body.status, kind, summary }).not.toMatchObject({ kind: 'none' });
  expect(FALLBACKS).not.toContain(summary);
  return { kind, summary };
}

describe.each(checked)('$id', (operation) => {
  it('names the field of each rule of the contract that a request breaks', async () => {
    const booted = await same();
    const api = await agentFor(booted, operation);
    for (const { rule, path, body } of operation.broken) {
      const refused = await call(api, operation, path, body).expect(400);

      const { kind, summary } = await whyOf(booted, refused.headers);

      const [field] = fieldsOf(refused);
      if (field) expect([rule, kind, summary]).toEqual([rule, 'contract', expect.stringContaining(field)]);
    }
  });
});

describe.each(withJson)('$id', (operation) => {
  it('says that a body cannot be read', async () => {
    const booted = await same();
    const api = await agentFor(booted, operation);
    for (const [, bytes] of MALFORMED) {
      const refused = await raw(api[operation.verb](operation.path), 'application/json', bytes);
      expect((await whyOf(booted, refused.headers)).summary).toMatch(/body|nested|JSON|UTF-8/);
    }
  });
});

describe.each(withForm)('$id', (operation) => {
  it('says that it does not take the media type', async () => {
    const booted = await same();
    const api = await agentFor(booted, operation);
    const refused = await raw(api[operation.verb](operation.path), 'application/pdf', 'x');
    if (refused.status >= 400) await whyOf(booted, refused.headers);
  });
});

const BAD_TOKENS = {
  'without a token': (anonymous: Agent) => anonymous,
  'with a text that is no token': (anonymous: Agent) => agentWith(anonymous, 'nonsense'),
  'with a token that somebody else signed': (anonymous: Agent) =>
    agentWith(anonymous, 'eyJhbGciOiJSUzI1NiIsImtpZCI6Im5vbmUifQ.eyJzdWIiOiJ4In0.c2lnbmF0dXJl'),
};

describe.each(secured)('$id', (operation) => {
  it.each(Object.entries(BAD_TOKENS))('says what is wrong %s', async (_, agentOf) => {
    const booted = await same();
    const refused = await callWell(agentOf(booted.anonymous), operation);
    expect(refused.status).toBe(401);
    expect((await whyOf(booted, refused.headers)).kind).toBe('authentication');
  });
});

describe.each(ofOneRow)('$id', (operation) => {
  it('names the row that does not exist', async () => {
    const booted = await same();
    const refused = await callWell(booted.api, operation);
    expect(refused.status).toBe(404);

    const { summary } = await whyOf(booted, refused.headers);

    if (operation.dialect === 'service') expect(summary).toMatch(rowIn(operation));
  });
});

/** A sentence that names one of the ids of the path, or its address. */
function rowIn({ path, template }: Documented): RegExp {
  const values = path.split(/[/?]/).map(decodeURIComponent);
  const ids = template
    .split('/')
    .flatMap((step, at) => (step.startsWith('{') ? [values[at]!.replace(/:\w+$/, '')] : []));
  return new RegExp(`\\b(${ids.map((id) => id.replaceAll(/\W/g, '.')).join('|')})\\b|of this address`);
}

/** The samples of the contract are valid ids, but no row of the default environment has them. */
function callWell(agent: Agent, operation: Documented) {
  const { query = '', body = operation.body } = WANTED[operation.id] ?? {};
  const [path = ''] = query ? operation.path.split('?') : [operation.path];
  return call(agent, operation, `${path}?${query}`, body);
}
