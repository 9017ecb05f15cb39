import { Webhook } from 'standardwebhooks';
import { describe, expect, it } from 'vitest';
import { boot } from '../support/boot.ts';
import { all, eventually, listen, NOW, organization, receiver, SECRET, type Received } from './support.ts';

const OLD = 'whsec_b2xkIHNlY3JldA==';

describe('the secrets of a webhook endpoint', () => {
  it('all sign each attempt until they expire', async () => {
    const { api, control } = await boot();
    const { came, url } = await receiver();
    const inAnHour = new Date(Date.now() + 3_600_000).toISOString();
    const old_secrets = [
      { secret: OLD, expires_at: inAnHour },
      { secret: 'whsec_b2xkZXI=', expires_at: '2020-01-01T00:00:00Z' },
    ];
    await listen(control, url, { old_secrets });

    await organization(api, 'Acme');
    const [{ headers, text }] = (await came(1)) as [Received];
    const signed = headers as Record<string, string>;

    for (const secret of [SECRET, OLD]) expect(new Webhook(secret).verify(text, signed)).toBeTruthy();
    expect(() => new Webhook('whsec_b2xkZXI=').verify(text, signed)).toThrow();
    expect(signed['webhook-signature']!.split(' ')).toHaveLength(2);
  });

  it('are neither in the log nor in the journal', async () => {
    const { api, control, lines } = await boot({ now: NOW, logLevel: 'debug' });
    await listen(control, 'ftp://app.example/', {
      old_secrets: [{ secret: OLD, expires_at: '2040-01-01T00:00:00Z' }],
    });
    await organization(api, 'Acme');
    const [delivery] = await eventually(control, all('FAILED'));

    const told = [...lines, JSON.stringify(delivery), (await control.get('/requests').expect(200)).text].join(
      '\n',
    );

    expect(delivery!.attempts).toMatchObject([{ error: 'only http and https addresses are called' }]);
    for (const secret of [SECRET, OLD]) expect(told).not.toContain(secret.slice(6));
  });
});

describe('a webhook delivery that cannot be sent', () => {
  it('fails when the payload breaks the contract, and the program logs it', async () => {
    const { api, control, lines } = await boot({ now: NOW });
    const { received, url } = await receiver();
    await listen(control, url, { enabled: true, max_in_flight: 1 });
    await listen(control, url, { event_types: ['none'] }, 'ep_2');
    await organization(api, 'Acme');
    const [sent] = await eventually(control, all('SUCCESS'));
    const { body: event } = await control.get(`/state/events/${sent!.event_id}`).expect(200);
    const broken = { ...event, id: 'evt_1', data: { id: 7 } };
    await control.put('/state/events/evt_1').send(broken).expect(200);
    const waiting = { endpoint_id: 'ep_2', event_id: 'evt_1', event_type: sent!.event_type };
    const row = { ...waiting, status: 'QUEUED', attempts: [], created_at: NOW };

    await control.put('/state/webhook_deliveries/msg_1').send(row).expect(200);
    const found = await eventually(control, (each) => each.some(({ status }) => status === 'FAILED'));

    const { attempts } = found.find(({ id }) => id === 'msg_1')!;
    expect(attempts).toHaveLength(1);
    expect(attempts[0]!.error).toContain('payload breaks the contract: organization.created:');
    expect(attempts[0]!.error).toContain('/body/data/id');
    expect(lines.join('')).toContain('webhook delivery msg_1 was not sent: payload breaks the contract');
    expect(received).toHaveLength(1);
  });

  it('fails when its event was deleted, and when its endpoint was disabled', async () => {
    const { api, control } = await boot({ now: NOW });
    const { received, url } = await receiver((response) => response.writeHead(500).end());
    await listen(control, url);
    await organization(api, 'Acme');
    const [delivery] = await eventually(control, all('RETRYING'));
    const { id, event_id } = delivery!;
    await control.patch('/state/webhook_endpoints/ep_1').send({ enabled: false }).expect(200);
    await control.post('/clock/advance').send({ by: '5s' }).expect(200);
    const [off] = await eventually(control, all('FAILED'));

    await control.patch('/state/webhook_endpoints/ep_1').send({ enabled: true }).expect(200);
    await control.delete(`/state/events/${event_id}`).expect(204);
    await control.patch(`/state/webhook_deliveries/${id}`).send({ status: 'QUEUED' }).expect(200);
    const [gone] = await eventually(control, (found) => found[0]?.attempts.length === 3);

    expect(off!.attempts.at(-1)!.error).toBe('webhook endpoint ep_1 is disabled');
    expect(gone).toMatchObject({ status: 'FAILED' });
    expect(gone!.attempts.at(-1)!.error).toBe(`event ${event_id} is gone: there is nothing to send`);
    expect(received).toHaveLength(1);
  });
});
