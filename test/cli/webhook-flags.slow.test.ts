import { expect, it } from 'vitest';
import { Webhook } from 'standardwebhooks';
import { KNOWN_WEBHOOK_SECRET } from '../../src/start/config.ts';
import { receiver } from '../webhooks/support.ts';
import type { Agent } from '../support/boot.ts';
import { makeFolder, run, serve, start } from '../support/process.ts';

const ONE = 'http://localhost:9/one';
const OTHER = 'http://localhost:9/other';
const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const NEW_SECRET = 'whsec_bmV3IHNlY3JldCBvZiB0aGlzIHRlc3Qg';

const endpointsOf = async (control: Agent) =>
  (await control.get('/webhooks/endpoints').expect(200)).body.endpoints;

const started = (data: string, urls: string[], secret = KNOWN_WEBHOOK_SECRET) =>
  serve(['--data', data, '--webhook-secret', secret, ...urls.flatMap((url) => ['--webhook', url])]);

it.each(['--webhook', 'UNDERSTUDY_WEBHOOK'])('events are sent to the URLs of %s', async (setting) => {
  const [one, other] = [await receiver(), await receiver()];
  const service = setting.startsWith('--')
    ? await serve([setting, one.url, setting, other.url])
    : await serve([], { variables: { [setting]: `${one.url}, ${other.url}` } });

  await (await service.login()).post('/api/v1/organizations').send({ display_name: 'Hooli' }).expect(201);

  for (const { came } of [one, other]) {
    const [{ text, headers } = { text: '', headers: {} }] = await came(1);
    const verified = new Webhook(KNOWN_WEBHOOK_SECRET).verify(text, headers as Record<string, string>);
    expect(verified).toMatchObject({ type: 'organization.created' });
  }
});

it.each([
  ['--webhook-secret', { args: ['--webhook-secret', SECRET], variables: {} }],
  ['UNDERSTUDY_WEBHOOK_SECRET', { args: [], variables: { UNDERSTUDY_WEBHOOK_SECRET: SECRET } }],
])(
  'webhooks are signed with the secret of %s, which is printed at the start',
  async (_, { args, variables }) => {
    const service = await serve(['--webhook', ONE, ...args], { variables });

    expect(JSON.parse(service.stdout())).toMatchObject({ webhook_secret: SECRET });
    expect(await endpointsOf(service.control)).toMatchObject([{ url: ONE, secret: SECRET }]);
    const env = await run(['env', '--sdk', 'node', '--url', service.url, '--format', 'json']);
    expect(JSON.parse(env.stdout)).toMatchObject({ SCALEKIT_WEBHOOK_SECRET: SECRET });
  },
);

it('the webhook URLs and their secret are printed at the start', async () => {
  const started = start(['serve', '--memory', '--port', '0', '--webhook', ONE, '--webhook', OTHER]);

  const line = `webhooks to {4}${ONE}, ${OTHER}\\n  signed with {4}${KNOWN_WEBHOOK_SECRET}\\n`;
  await expect(started.line(new RegExp(line))).resolves.toBeDefined();
});

it.each([
  [
    '--webhook-allow',
    { args: ['--webhook-allow', 'localhost:1', '--webhook-allow', '10.0.0.0/8'], variables: {} },
  ],
  [
    'UNDERSTUDY_WEBHOOK_ALLOW',
    { args: [], variables: { UNDERSTUDY_WEBHOOK_ALLOW: 'localhost:1,10.0.0.0/8' } },
  ],
])('only receivers that %s names are called', async (_, { args, variables }) => {
  const { url, received } = await receiver();
  const service = await serve(args, { variables });
  await service.control.post('/webhooks/endpoints').send({ url }).expect(201);

  await (await service.login()).post('/api/v1/organizations').send({ display_name: 'Hooli' }).expect(201);

  const { body } = await service.control
    .get('/webhooks/deliveries/wait?status=FAILED&timeout=2m')
    .expect(200);
  expect(JSON.stringify(body)).toContain('does not match --webhook-allow localhost:1 10.0.0.0/8');
  expect(received).toEqual([]);
});

it('a --webhook endpoint keeps its changes after a restart, and takes new flags', async () => {
  const data = makeFolder();
  const first = await started(data, [ONE, OTHER]);
  const [{ id }, { id: otherId }] = await endpointsOf(first.control);
  await first.control.post(`/webhooks/endpoints/${id}/rotate`).send({ secret: SECRET }).expect(200);
  await first.control.patch(`/webhooks/endpoints/${otherId}`).send({ enabled: false }).expect(200);
  const before = await endpointsOf(first.control);
  await first.stop();

  const same = await started(data, [ONE, OTHER]);
  expect(await endpointsOf(same.control)).toEqual(before);
  await same.stop();

  const changed = await started(data, [ONE, `${OTHER}/2`], NEW_SECRET);
  expect(await endpointsOf(changed.control)).toMatchObject([
    { id, url: ONE, secret: NEW_SECRET },
    { id: otherId, url: `${OTHER}/2`, enabled: false },
  ]);
});

it('a --webhook endpoint is deleted with its deliveries when its flag is removed; others are kept', async () => {
  const data = makeFolder();
  const first = await started(data, [ONE, OTHER]);
  await first.control.post('/webhooks/endpoints').send({ kind: 'inbox' }).expect(201);
  await (await first.login()).post('/api/v1/organizations').send({ display_name: 'Hooli' }).expect(201);
  await first.stop();

  const { control } = await started(data, [ONE]);

  expect(await endpointsOf(control)).toMatchObject([{ url: ONE }, { kind: 'inbox' }]);
  const { body } = await control.get('/state/webhook_deliveries').expect(200);
  const [one, inbox] = await endpointsOf(control);
  const waiting = new Set(body.rows.map((row: { endpoint_id: string }) => row.endpoint_id));
  expect(waiting).toEqual(new Set([one.id, inbox.id]));
});
