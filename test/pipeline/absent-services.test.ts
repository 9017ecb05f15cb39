import { describe, expect, it } from 'vitest';
import { bootOnce } from '../support/boot.ts';
import { bootPort } from '../support/mcp.ts';
import { callRaw, framed } from '../server/grpc/raw.ts';

const { fresh } = bootOnce();
const onPort = bootPort();
const origin = (at: (url: string) => string) => new URL(at('http://localhost/')).origin;

describe('a service that Understudy does not have', () => {
  it.each([
    ['/api/v1/gateway/groups', 'gateway.GatewayService'],
    ['/api/v1/billing/plan', 'billing.BillingService'],
    ['/api/v1/organizations/org_1/email/templates', 'emails.EmailService'],
    ['/api/v1/connections/conn_1/triggers', 'triggers.TriggerService'],
    ['/api/v1/workspaces:this', 'workspaces.WorkspaceService'],
    ['/api/v1/webhooks/wb/endpoints', 'webhooks.WebhookService.WebhookWrapper'],
  ])('is named by the answer to %s', async (path, service) => {
    const { api } = await fresh();

    const { body } = await api.get(path).expect(501);

    expect(body).toMatchObject({ code: 12, message: `Understudy does not have scalekit.v1.${service}` });
    await api.get('/api/v1/nonsense').expect(404);
  });

  it.each([
    ['/scalekit.v1.gateway.GatewayService/ListGroups', 'scalekit.v1.gateway.GatewayService'],
    ['/scalekit.v1.webhooks.WebhookService/WebhookWrapper', 'WebhookService.WebhookWrapper'],
  ])('is named over gRPC: %s', async (path, service) => {
    const { at, token } = await onPort();
    const headers = { authorization: `Bearer ${token}` };

    const heard = await callRaw(origin(at), path, framed(Buffer.alloc(0)), headers);

    expect(heard.code).toBe(12);
    expect(heard.message).toContain(service);
  });
});
