import { ScalekitClient } from '@scalekit-sdk/node';
import { expect, test } from 'vitest';
import { KNOWN_CREDENTIALS } from '../../../../src/start/config.ts';
import { openPort } from '../../../../test/support/port.ts';
import { recordFrom } from '../support/record.ts';

const { client_id: id, client_secret: secret } = KNOWN_CREDENTIALS;

test('an official SDK works through the recorder, over OAuth and gRPC', async () => {
  const service = await openPort();
  const recording = await recordFrom(service.url);
  const client = new ScalekitClient(recording.url, id, secret);

  const { organization } = await client.organization.createOrganization('Acme');
  const got = await client.organization.getOrganization(organization!.id);
  const missing = client.organization.getOrganization('org_404');

  expect(got.organization?.displayName).toBe('Acme');
  await expect(missing).rejects.toThrow();
  const { exchanges, shape, text } = await recording.stop();
  expect(recording.told).toEqual([]);
  expect(
    exchanges.map(({ protocol, operation, response: { status, trailers } }) => [
      protocol,
      operation,
      status,
      trailers?.['grpc-status'],
    ]),
  ).toEqual([
    // The SDK asks for a token when it is told that it has none.
    ['grpc', 'OrganizationService_CreateOrganization', 200, '16'],
    ['oauth', 'OAuth_Token', 200, undefined],
    ['grpc', 'OrganizationService_CreateOrganization', 200, '0'],
    ['grpc', 'OrganizationService_GetOrganization', 200, '0'],
    ['grpc', 'OrganizationService_GetOrganization', 200, '5'],
  ]);
  expect(exchanges[2]).toMatchObject({
    request: { messages: [{ organization: { display_name: 'Acme' } }] },
    response: { messages: [{ organization: { display_name: 'Acme', id: organization!.id } }] },
  });
  expect(exchanges[4]!.response.json).toMatchObject({
    code: 5,
    details: [{ error_code: 'RESOURCE_NOT_FOUND' }],
  });
  expect(text).not.toContain(secret);
  expect(Object.keys(shape.operations['OrganizationService_GetOrganization']!)).toEqual(['grpc 0', 'grpc 5']);
});
