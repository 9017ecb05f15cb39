import { gunzipSync, gzipSync } from 'node:zlib';
import * as zlib from 'node:zlib';
import type { Agent, Booted } from '../../../../test/support/boot.ts';
import type { Bundle } from '../../src/format.ts';

export const LIST = '/api/v1/organizations';

/** The bytes of the bundle that the control API gives. */
export async function bytesOf(control: Agent, test?: object): Promise<Buffer> {
  const call = test ? control.post('/bundle').send(test) : control.get('/bundle');
  const answer = await call
    .buffer(true)
    .parse((response, done) => {
      const pieces: Buffer[] = [];
      response.on('data', (piece: Buffer) => void pieces.push(piece));
      response.on('end', () => done(null, Buffer.concat(pieces)));
    })
    .expect(200);
  return answer.body as Buffer;
}

const { zstdDecompressSync } = zlib as { zstdDecompressSync?: (bytes: Uint8Array) => Buffer };

export function unpacked(bytes: Uint8Array): Bundle {
  const text = bytes[0] === 0x1f ? gunzipSync(bytes) : zstdDecompressSync!(bytes);
  return JSON.parse(text.toString()) as Bundle;
}

export const packed = (value: unknown): Buffer => gzipSync(JSON.stringify(value));

/** Calls of several kinds: some change rows, some are refused, one is answered by a scenario. */
export async function story({ api, anonymous, control }: Booted): Promise<void> {
  const { body } = await api.post(LIST).send({ display_name: 'Acme', external_id: 'crm-1' }).expect(201);
  const { id } = body.organization as { id: string };
  await api.patch(`${LIST}/${id}`).send({ display_name: 'Acme Inc' }).expect(200);
  await control.post('/scenarios').send({ name: 'rate-limit-once' }).expect(201);
  await api.get(`${LIST}/${id}`).expect(429);
  await api.post(LIST).send({ display_name: 'Twin', external_id: 'crm-1' }).expect(400);
  await api.get(`${LIST}/org_404`).expect(404);
  await control.post('/clock/advance').send({ by: '1h' }).expect(200);
  const { body: client } = await api.post(`${LIST}/${id}/clients`).send({ name: 'Robot' }).expect(201);
  const form = {
    grant_type: 'client_credentials',
    client_id: client.client.client_id as string,
    client_secret: client.plain_secret as string,
  };
  await anonymous.post('/oauth/token').type('form').send(form).expect(200);
  await control.patch(`/state/organizations/${id}`).send({ display_name: 'By hand' }).expect(200);
  await api.get(`${LIST}?page_size=2`).expect(200);
}
