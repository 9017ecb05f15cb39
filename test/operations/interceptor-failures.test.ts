import fc from 'fast-check';
import type { ServerResponse } from 'node:http';
import { describe, expect, it } from 'vitest';
import { boot } from '../support/boot.ts';
import { receiver, type Answer } from '../support/receiver.ts';
import { askForToken, claimsIn, CLIENT, intercept, latest } from './interceptor-support.ts';

const SENTENCE =
  'This request could not be completed because a policy does not allow it. Please contact support.';
const REFUSING = 'http://127.0.0.1:1/';

const text =
  (status: number, body: string, headers = {}) =>
  (response: ServerResponse) =>
    response.writeHead(status, headers).end(body);
const ALLOW = '{"decision":"ALLOW"}';

/** What goes wrong, and what the journal says of it. */
const FAILURES: [what: string, answer: Answer | undefined, error: string][] = [
  ['refuses the connection', undefined, 'can not be reached'],
  ['never answers', () => undefined, 'did not answer within 100 ms'],
  [
    'never ends its answer',
    (response: ServerResponse) => response.write('{'),
    'did not answer within 100 ms',
  ],
  [
    'never ends an answer of no known length',
    (response: ServerResponse) => void response.socket!.write(`HTTP/1.1 200 OK\r\n\r\n${ALLOW}`),
    'did not answer within 100 ms',
  ],
  [
    'wants to speak another protocol',
    (response: ServerResponse) =>
      void response.socket!.write(
        'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: other\r\n\r\n',
      ),
    'the connection ended without an answer',
  ],
  ['hangs up', (response: ServerResponse) => response.destroy(), 'can not be reached'],
  ['answers 500', text(500, ALLOW), 'the answer is 500 and not 200'],
  ['answers 201', text(201, ALLOW), 'the answer is 201 and not 200'],
  ['answers 204', text(204, ''), 'the answer is 204 and not 200'],
  ['redirects', text(307, ALLOW, { location: '/elsewhere' }), 'redirects are not followed'],
  ['answers nothing', text(200, ''), 'the answer is no JSON'],
  ['answers half of it', text(200, '{"decision":'), 'the answer is no JSON'],
  [
    'answers a maze',
    text(200, `{"decision":"ALLOW","response":{"claims":{"maze":${'['.repeat(9000)}${']'.repeat(9000)}}}}`),
    'the answer is nested deeper than 100 levels',
  ],
  ['answers null', text(200, 'null'), 'the answer breaks the contract'],
  ['does not decide', {}, "decision must have required property 'decision'"],
  ['decides otherwise', { decision: 'MAYBE' }, 'decision must be equal to one of the allowed values'],
  [
    'claims a number for a scope',
    { decision: 'ALLOW', response: { claims: { scope: 5 } } },
    'response.claims.scope must be',
  ],
  ['says too much', text(200, `${ALLOW}${' '.repeat(65_536)}`), 'answered more than 65536 bytes'],
];

describe('an interceptor that can not be heard', () => {
  it.each(FAILURES)('allows with FAIL_OPEN when it %s', async (_, answer, error) => {
    const { api, anonymous, control } = await boot();
    const api_url = answer ? (await receiver(answer)).url : REFUSING;
    const timeout_ms = error.includes('within') ? 100 : 30_000;
    await intercept(api, { api_url, timeout_ms, failure_policy: 'FAIL_OPEN' });

    const given = await askForToken({ anonymous }).expect(200);

    expect(claimsIn(given)).toMatchObject({ sub: CLIENT.client_id, scopes: ['invoices:read'] });
    const { interceptors } = await latest(control);
    expect(interceptors).toMatchObject([{ decision: 'ALLOW', policy: 'FAIL_OPEN' }]);
    expect(interceptors[0].error).toContain(error);
  });

  it.each(FAILURES)('denies with FAIL_CLOSED when it %s', async (_, answer, error) => {
    const { api, anonymous, control } = await boot();
    const gate = answer && (await receiver(answer));
    const timeout_ms = error.includes('within') ? 100 : 30_000;
    const { id } = await intercept(api, { api_url: gate?.url ?? REFUSING, timeout_ms });
    const { body: before } = await control.get('/state/hash').expect(200);

    const { body } = await askForToken({ anonymous }).expect(403);

    expect(body).toEqual({ error: 'access_denied', error_description: SENTENCE });
    expect((await control.get('/state/hash').expect(200)).body).toEqual(before);
    expect(gate?.received.length).toBe(gate && 1);
    const { interceptors } = await latest(control);
    expect(interceptors).toMatchObject([{ interceptor_id: id, decision: 'DENY', policy: 'FAIL_CLOSED' }]);
    expect(interceptors[0].error).toContain(error);
  });

  it('is not called where it may not be', async () => {
    const { api, anonymous, control } = await boot({ webhookAllow: ['app.example'] });
    const gate = await receiver();
    await intercept(api, { api_url: gate.url });

    await askForToken({ anonymous }).expect(403);

    expect(gate.received).toEqual([]);
    const { interceptors } = await latest(control);
    expect(interceptors[0].error).toContain('is none of --webhook-allow app.example');
  });

  it('may be answered by its own words only: support has an address where the settings say so', async () => {
    const { api, anonymous, control } = await boot();
    await control.patch('/state/settings/settings').send({ support_email: 'help@acme.example' }).expect(200);
    await intercept(api, { api_url: REFUSING });

    const { body } = await askForToken({ anonymous }).expect(403);

    expect(body.error_description).toBe(SENTENCE.replace('support.', 'help@acme.example.'));
  });
});

it('whatever an interceptor answers, the caller is told yes or no', async () => {
  const { api, anonymous } = await boot();
  const gate = await receiver();
  await intercept(api, { api_url: gate.url });
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
  const said = fc.oneof(
    { weight: 1, arbitrary: fc.json() },
    { weight: 3, arbitrary: decided.map((value) => JSON.stringify(value)) },
  );

  await fc.assert(
    fc.asyncProperty(said, async (body) => {
      gate.answers(text(200, body));

      const { status } = await askForToken({ anonymous });

      expect([200, 403]).toContain(status);
    }),
    { numRuns: 60 },
  );
});
