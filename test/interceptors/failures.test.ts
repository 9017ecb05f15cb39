import fc from 'fast-check';
import type { ServerResponse } from 'node:http';
import { describe, expect, it } from 'vitest';
import { boot } from '../support/boot.ts';
import { receiver, type Answer } from '../support/receiver.ts';
import { askForToken, claimsIn, CLIENT, intercept, latest } from './support.ts';

const SENTENCE =
  'This request could not be completed because a policy does not allow it. Please contact support.';
const UNREACHABLE = 'http://127.0.0.1:1/';

const text =
  (status: number, body: string, headers = {}) =>
  (response: ServerResponse) =>
    response.writeHead(status, headers).end(body);
const ALLOW = '{"decision":"ALLOW"}';

/** Failures of an interceptor and the error that the journal shows for each. */
const FAILURES: [what: string, answer: Answer | undefined, error: string][] = [
  ['refuses the connection', undefined, 'cannot be reached'],
  ['never answers', () => undefined, 'did not answer within 100 ms'],
  [
    'never ends its response',
    (response: ServerResponse) => response.write('{'),
    'did not answer within 100 ms',
  ],
  [
    'never ends a response without content-length',
    (response: ServerResponse) => void response.socket!.write(`HTTP/1.1 200 OK\r\n\r\n${ALLOW}`),
    'did not answer within 100 ms',
  ],
  [
    'switches protocols',
    (response: ServerResponse) =>
      void response.socket!.write(
        'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: other\r\n\r\n',
      ),
    'the connection ended without an answer',
  ],
  ['closes the connection', (response: ServerResponse) => response.destroy(), 'cannot be reached'],
  ['answers 500', text(500, ALLOW), 'the answer is 500 and not 200'],
  ['answers 201', text(201, ALLOW), 'the answer is 201 and not 200'],
  ['answers 204', text(204, ''), 'the answer is 204 and not 200'],
  ['redirects', text(307, ALLOW, { location: '/elsewhere' }), 'redirects are not followed'],
  ['answers an empty body', text(200, ''), 'the answer is not JSON'],
  ['answers truncated JSON', text(200, '{"decision":'), 'the answer is not JSON'],
  [
    'answers deeply nested JSON',
    text(200, `{"decision":"ALLOW","response":{"claims":{"maze":${'['.repeat(9000)}${']'.repeat(9000)}}}}`),
    'the answer is nested deeper than 100 levels',
  ],
  ['answers null', text(200, 'null'), 'the answer breaks the contract'],
  ['answers without a decision', {}, "decision must have required property 'decision'"],
  [
    'answers an unknown decision',
    { decision: 'MAYBE' },
    'decision must be equal to one of the allowed values',
  ],
  [
    'answers a number as the scope',
    { decision: 'ALLOW', response: { claims: { scope: 5 } } },
    'response.claims.scope must be',
  ],
  ['answers too many bytes', text(200, `${ALLOW}${' '.repeat(65_536)}`), 'answered more than 65536 bytes'],
];

describe('an interceptor that fails', () => {
  it.each(FAILURES)('allows with FAIL_OPEN when it %s', async (_, answer, error) => {
    const { api, anonymous, control } = await boot();
    const api_url = answer ? (await receiver(answer)).url : UNREACHABLE;
    const timeout_ms = error.includes('within') ? 100 : 30_000;
    await intercept(api, { api_url, timeout_ms, failure_policy: 'FAIL_OPEN' });

    const response = await askForToken({ anonymous }).expect(200);

    expect(claimsIn(response)).toMatchObject({ sub: CLIENT.client_id, scopes: ['invoices:read'] });
    const { interceptors } = await latest(control);
    expect(interceptors).toMatchObject([{ decision: 'ALLOW', policy: 'FAIL_OPEN' }]);
    expect(interceptors[0].error).toContain(error);
  });

  it.each(FAILURES)('denies with FAIL_CLOSED when it %s', async (_, answer, error) => {
    const { api, anonymous, control } = await boot();
    const interceptor = answer && (await receiver(answer));
    const timeout_ms = error.includes('within') ? 100 : 30_000;
    const { id } = await intercept(api, { api_url: interceptor?.url ?? UNREACHABLE, timeout_ms });
    const { body: before } = await control.get('/state/hash').expect(200);

    const { body } = await askForToken({ anonymous }).expect(403);

    expect(body).toEqual({ error: 'access_denied', error_description: SENTENCE });
    expect((await control.get('/state/hash').expect(200)).body).toEqual(before);
    expect(interceptor?.received.length).toBe(interceptor && 1);
    const { interceptors } = await latest(control);
    expect(interceptors).toMatchObject([{ interceptor_id: id, decision: 'DENY', policy: 'FAIL_CLOSED' }]);
    expect(interceptors[0].error).toContain(error);
  });

  it('is not called when --webhook-allow does not include its host', async () => {
    const { api, anonymous, control } = await boot({ webhookAllow: ['app.example'] });
    const interceptor = await receiver();
    await intercept(api, { api_url: interceptor.url });

    await askForToken({ anonymous }).expect(403);

    expect(interceptor.received).toEqual([]);
    const { interceptors } = await latest(control);
    expect(interceptors[0].error).toContain('does not match --webhook-allow app.example');
  });

  it('denies with a message that contains the support_email of the settings', async () => {
    const { api, anonymous, control } = await boot();
    await control.patch('/state/settings/settings').send({ support_email: 'help@acme.example' }).expect(200);
    await intercept(api, { api_url: UNREACHABLE });

    const { body } = await askForToken({ anonymous }).expect(403);

    expect(body.error_description).toBe(SENTENCE.replace('support.', 'help@acme.example.'));
  });
});

it('always leads to 200 or 403, whatever it answers', async () => {
  const { api, anonymous } = await boot();
  const interceptor = await receiver();
  await intercept(api, { api_url: interceptor.url });
  const claims = fc.record(
    { scope: fc.jsonValue(), scopes: fc.jsonValue(), aud: fc.jsonValue(), custom_claims: fc.jsonValue() },
    { requiredKeys: [] },
  );
  const decided = fc.record(
    {
      decision: fc.constantFrom('ALLOW', 'DENY', 'allow', null),
      error: fc.oneof(
        fc.jsonValue(),
        fc.record({ code: fc.jsonValue(), message: fc.string({ unit: 'binary' }) }),
      ),
      response: fc.oneof(fc.jsonValue(), fc.record({ claims: fc.oneof(fc.jsonValue(), claims) })),
    },
    { requiredKeys: [] },
  );
  const bodies = fc.oneof(
    { weight: 1, arbitrary: fc.json() },
    { weight: 3, arbitrary: decided.map((value) => JSON.stringify(value)) },
  );

  await fc.assert(
    fc.asyncProperty(bodies, async (body) => {
      interceptor.answers(text(200, body));

      const { status } = await askForToken({ anonymous });

      expect([200, 403]).toContain(status);
    }),
    { numRuns: 60 },
  );
});
