import { describe, expect, it } from 'vitest';
import { createDocuments } from '../../src/contract/documents.ts';
import { feedEventsOf } from '../../src/environment/activity-feed.ts';
import type { Collection } from '../../src/state/env.ts';
import { operationsOf } from '../contract/bad-requests.ts';
import { agentFor } from '../contract/refusals.ts';
import { boot, type Agent, type Booted } from '../support/boot.ts';
import { MarkedFields, PLANTED, type Document, type MarkedOperation } from './marked.ts';

const documents = createDocuments();
const operations = new MarkedFields(documents.service() as Document).operations();
const callers = new Map(operationsOf('openapi').map(({ id, wants }) => [id, wants]));
const rows = new MarkedFields(documents.control() as Document).rows();

describe('every field that the contract marks as secret', () => {
  it('is redacted in the journal, the activity feed, reports and the log when a request has it', async () => {
    const booted = await boot({ logLevel: 'debug', brokenContract: true });
    const sending = operations.filter(({ isSent }) => isSent);

    const agents = await agentsOf(booted);
    for (const operation of sending) await send(agents, operation);

    expect(sending.length).toBeGreaterThan(30);
    await expectHidden(booted, sending.length, ({ path, request: { query, body } }) => [path, query, body]);
  });

  it('is redacted there when a response has it', async () => {
    const booted = await boot({ logLevel: 'debug', brokenContract: true });
    const answering = operations.filter(({ answer }) => answer !== undefined);
    const rules = answering.map(({ id, status, answer }) => ({
      on: id,
      reply: { status, body: answer, contract: 'violated' },
    }));
    // Before the rules, which answer requests for tokens, too.
    const agents = await agentsOf(booted);
    await booted.control.post('/scenarios').send({ name: 'answers', rules }).expect(201);

    for (const operation of answering) await send(agents, { ...operation, query: {}, body: undefined });

    expect(answering.length).toBeGreaterThan(20);
    await expectHidden(booted, answering.length, ({ response }) => response.body);
  });

  it.each(rows)('is redacted in changes of $collection', ({ collection, row }) => {
    const change = { collection: collection as Collection, id: 'id' in row ? PLANTED : 'row_1', after: row };

    const told = feedEventsOf({ kind: 'state', changes: [change as never] }, true);

    expect(JSON.stringify(row)).toContain(PLANTED);
    expect(JSON.stringify(told)).not.toContain(PLANTED);
  });
});

/** The agents of a client, a user and a browser with the admin portal. */
const agentsOf = async (booted: Booted) => ({
  client: booted.api,
  user: await agentFor(booted, { wants: 'user' }),
  portal: await agentFor(booted, { wants: 'portal' }),
});

async function send(
  agents: Record<'client' | 'user' | 'portal', Agent>,
  { id, verb, path, query, body, mediaType }: MarkedOperation,
) {
  const call = agents[callers.get(id) ?? 'client'][verb](path).query(query).redirects(0);
  await (body === undefined ? call : call.set('content-type', mediaType!).send(body as object));
}

interface Shown {
  path: string;
  request: { query: unknown; body?: unknown };
  response: { body: unknown };
}

/** `part` returns where each of the latest entries must have redacted something. */
async function expectHidden(booted: Booted, calls: number, part: (entry: Shown) => unknown) {
  const { control, understudy, lines } = booted;
  const { feed } = understudy.controls.simulator.environments.get('default');
  const journal = await control.get('/requests?limit=1000').expect(200);
  const reports = await Promise.all(
    ['/coverage', '/coverage?format=html'].map(async (path) => (await control.get(path).expect(200)).text),
  );
  const told = feed.after(0).events.map(({ data }) => data);
  const shown = journal.body.requests.slice(-calls) as Shown[];

  expect(shown).toHaveLength(calls);
  for (const entry of shown) {
    expect(JSON.stringify(entry), entry.path).not.toContain(PLANTED);
    expect(JSON.stringify(part(entry)), entry.path).toContain('[redacted]');
  }
  for (const text of [...reports, ...told, ...lines]) expect(text).not.toContain(PLANTED);
}
