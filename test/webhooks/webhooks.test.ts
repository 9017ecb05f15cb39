import { ScalekitClient } from '@scalekit-sdk/node';
import { Webhook } from 'standardwebhooks';
import { describe, expect, it } from 'vitest';
import { boot } from '../support/boot.ts';
import {
  all,
  deliveries,
  eventually,
  listen,
  NOW,
  organization,
  receiver,
  SECRET,
  type Received,
} from './support.ts';

const sdk = new ScalekitClient('http://localhost', 'skc_1', 'test');

describe('a webhook endpoint', () => {
  it('gets each event as the document describes it, with the webhook headers', async () => {
    const { api, control } = await boot({ now: NOW });
    const { came, url } = await receiver();
    await listen(control, url);

    const made = await organization(api, 'Acme');
    const [{ method, headers, body }] = (await came(1)) as [Received];
    const [delivery] = await eventually(control, all('SUCCESS'));

    expect(method).toBe('POST');
    expect(headers).toMatchObject({
      'content-type': 'application/json',
      'user-agent': expect.stringMatching(/^understudy\/\d+\.\d+\.\d+/),
      'webhook-id': delivery!.id,
      'webhook-timestamp': expect.stringMatching(/^\d+$/),
    });
    expect(body).toMatchObject({
      spec_version: '1',
      id: delivery!.event_id,
      type: 'organization.created',
      event: 'organization.created',
      object: 'Organization',
      occurred_at: NOW,
      data: { id: made.body.organization.id, display_name: 'Acme' },
    });
    expect(delivery).toMatchObject({
      attempts: [{ time: NOW, status: 200, headers: { 'webhook-id': delivery!.id } }],
    });
  });

  it('can verify the signature with other libraries, at any time of the clock', async () => {
    const { api, control } = await boot({ now: NOW });
    const { came, url } = await receiver();
    await listen(control, url);
    await organization(api, 'Açmé 🏢');

    const [{ headers, text }] = (await came(1)) as [Received];
    const signed = headers as Record<string, string>;

    expect(new Webhook(SECRET).verify(text, signed)).toEqual(JSON.parse(text));
    expect(sdk.verifyWebhookPayload(SECRET, signed, text)).toBe(true);
    expect(() => new Webhook(SECRET).verify(`${text} `, signed)).toThrow();
    expect(() => new Webhook('whsec_b3RoZXI=').verify(text, signed)).toThrow();
  });

  it('gets events in the order in which they were emitted', async () => {
    const { api, control } = await boot({ now: NOW });
    const { received, url } = await receiver();
    await listen(control, url);

    const names = Array.from({ length: 20 }, (_, index) => `Acme ${index}`);
    for (const name of names) await organization(api, name);
    await eventually(control, all('SUCCESS', 20));

    const told = received.map(({ body }) => (body['data'] as { display_name: string }).display_name);
    expect(told).toEqual(names);
  });

  it('of kind inbox needs no receiver', async () => {
    const { api, control, understudy } = await boot({ now: NOW });
    await listen(control, undefined);

    await organization(api, 'Acme');
    await understudy.controls.simulator.environments.get('default').settled();

    const [delivery] = await deliveries(control);
    const headers = {
      'webhook-id': delivery!.id,
      'webhook-timestamp': expect.stringMatching(/^\d+$/),
      'webhook-signature': expect.stringMatching(/^v1,[A-Za-z0-9+/]{43}=$/),
    };
    expect(delivery).toMatchObject({
      status: 'SUCCESS',
      attempts: [{ time: NOW, duration_ms: 0, status: 200, headers }],
    });
  });
});
