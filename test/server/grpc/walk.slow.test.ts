import { fromJson, type Message } from '@bufbuild/protobuf';
import type { ConnectError } from '@connectrpc/connect';
import type { Response } from 'supertest';
import { describe, expect, it } from 'vitest';
import { readContract } from '../../../src/contract/documents.ts';
import { operationsOf, type Documented } from '../../contract/bad-requests.ts';
import { call } from '../../contract/refusals.ts';
import { OUT_OF_REACH, WANTED } from '../../contract/valid-requests.ts';
import { addressesOf } from '../../support/addresses.ts';
import { boot, type Booted } from '../../support/boot.ts';
import { callRpc, grpcTo, messageOf, METHODS, openFor, told, toldOf } from './support.ts';

const compiled = new Map(readContract('openapi').operations.map((operation) => [operation.id, operation]));
/** Operations whose message says less than the body of their HTTP call, so that the result differs. */
const APART: Readonly<Record<string, string>> = {
  ClientService_RegisterClient: 'its message has no token_endpoint_auth_method, so the client gets a secret',
};

/** Operations after which the rows hold what an authenticator has drawn. */
const DRAWN = ['WebAuthnService_FinishRegistration', 'WebAuthnService_FinishAuthentication'];

/** All that have an RPC, whoever calls them: what they want of the caller comes with the valid request. */
const operations = operationsOf('openapi').filter(
  ({ id }) => METHODS.has(id) && !(id in OUT_OF_REACH) && !(id in APART),
);

describe.each(operations)('$id', (operation) => {
  it('has the same result over gRPC as over REST', async () => {
    const booted = await boot({ baseUrl: 'http://localhost:8080' });
    await booted.control.put('/clock').send({ mode: 'frozen' }).expect(200);
    await booted.control.post('/snapshots').send({ name: 'start' }).expect(201);
    const { answers, hash } = await overRest(operation, booted);
    await booted.control.post('/snapshots/start/restore').expect(204);

    const heard = await overRpc(operation, booted, answers);

    for (const [index, { status, body }] of answers.entries())
      if (status >= 400) expect(told(heard.answers[index] as ConnectError)).toEqual(toldOf(body));
      else expect(heard.answers[index]).toEqual(fromJson(METHODS.get(operation.id)!.output, body));
    expect(answers.at(-1)!.status).toBe(compiled.get(operation.id)!.status);
    if (!DRAWN.includes(operation.id)) expect(heard.hash).toBe(hash);
  });
});

/** The answers for one row after the other, until a call succeeds. */
async function overRest(operation: Documented, booted: Booted) {
  const { query, body, headers } = await requestTo(operation, booted);
  const { body: state } = await booted.control.get('/state').expect(200);
  const answers: (Pick<Response, 'status' | 'body'> & { address: string })[] = [];
  for (const address of addressesOf(operation.template, state)) {
    const sent = call(booted.api, operation, `${address}?${query}`, body).set(headers);
    const { status, body: answer } = await sent;
    answers.push({ address, status, body: answer });
    if (status === compiled.get(operation.id)!.status) break;
  }
  return { answers, hash: await hashOf(booted) };
}

/** What a gRPC client gets for the same rows. */
async function overRpc(operation: Documented, booted: Booted, rows: readonly { address: string }[]) {
  const { query, body, headers } = await requestTo(operation, booted);
  const transport = grpcTo(await openFor(booted.understudy));
  const method = METHODS.get(operation.id)!;
  const metadata = { authorization: `Bearer ${booted.token}`, ...headers };
  const answers: (Message | ConnectError)[] = [];
  for (const { address } of rows) {
    const message = messageOf(method, { params: paramsOf(operation, address), query, body });
    answers.push(await callRpc(transport, method, message, metadata));
  }
  return { answers, hash: await hashOf(booted) };
}

/** What the operation wants in this environment, such as the cookie of a browser that signs in. */
async function requestTo({ id, body: documented }: Documented, booted: Booted) {
  const { query = '', body = documented, headers = {}, prepare } = WANTED[id] ?? {};
  const prepared = await prepare?.(booted);
  return {
    query: prepared?.query ?? query,
    body: prepared?.body ?? body,
    headers: { ...headers, ...prepared?.headers },
  };
}

const hashOf = async ({ control }: Booted) =>
  (await control.get('/state/hash').expect(200)).body.hash as string;

function paramsOf({ template }: Documented, address: string): Record<string, string> {
  const names = template.match(/(?<=\{)[^}]+(?=\})/g) ?? [];
  const pattern = new RegExp(`^${template.replace(/\{[^}]+\}/g, '([^/]+?)')}$`);
  const values = pattern.exec(address)!.slice(1);
  return Object.fromEntries(names.map((name, index) => [name, decodeURIComponent(values[index]!)]));
}
