import { expect } from 'vitest';
import type { Agent } from './boot.ts';

export const NOW = '2030-01-01T00:00:00.000Z';
export const ACCOUNTS = '/api/v1/connected_accounts';

export const TOKEN = { access_token: 'at-1', refresh_token: 'rt-1', scopes: ['a'], domain: 'acme' };
export const oauth = (token: object = TOKEN) => ({ authorization_details: { oauth_token: token } });

export async function create(api: Agent, wanted: object = {}) {
  const account = { connector: 'gmail', identifier: 'lea@acme.example', connected_account: {}, ...wanted };
  const { body } = await api.post(ACCOUNTS).send(account).expect(201);
  return body.connected_account as { id: string } & Record<string, unknown>;
}

export const auth = async (api: Agent, id: string) =>
  (await api.get(`${ACCOUNTS}/auth?id=${id}`).expect(200)).body.connected_account;

/** Adds a connection that the default fixture does not have. */
export async function connect(control: Agent, key_id: string, wanted: object) {
  const connection = {
    provider: 'CUSTOM',
    provider_key: key_id.toUpperCase(),
    type: 'OAUTH',
    status: 'COMPLETED',
    enabled: true,
    ui_button_title: '',
    created_at: NOW,
    updated_at: NOW,
  };
  const id = `conn_9000000000000000${key_id.length}`;
  await control
    .put(`/state/connections/${id}`)
    .send({ ...connection, key_id, ...wanted })
    .expect(200);
}

export const failure = (status: number, message: string, code: number, error_code: string) => ({
  status,
  body: { code, message, details: [{ error_code }] },
});
export const invalid = (message: string) => failure(400, message, 3, 'INVALID_ARGUMENT');
export const missing = (message: string) => failure(404, message, 5, 'RESOURCE_NOT_FOUND');

export const violated = (field: string, constraint: string) => ({
  status: 400,
  body: {
    code: 3,
    details: [
      {
        error_code: 'INVALID_ARGUMENT',
        validation_error_info: { field_violations: [expect.objectContaining({ field, constraint })] },
      },
    ],
  },
});

export const long = (length: number) => 'x'.repeat(length);
