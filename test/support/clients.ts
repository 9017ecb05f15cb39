import type { Agent, Booted } from './boot.ts';

export const CLIENTS = '/api/v1/clients';
export const WEB_APP = { name: 'Portal', client_type: 'WEB_APP' };

/** Registers an application. */
export async function createClient(api: Agent, wanted: object = WEB_APP) {
  const { body } = await api.post(CLIENTS).send(wanted).expect(200);
  const id = body.client.id as string;
  return { id, path: `${CLIENTS}/${id}` };
}

/** Registers an application with a secret and returns its credentials. */
export async function withSecret({ api }: Booted, wanted: object = {}) {
  const { id, path } = await createClient(api, { ...WEB_APP, ...wanted });
  const { body } = await api.post(`${path}/secrets`).expect(201);
  const credentials = { client_id: id, client_secret: body.plain_secret as string };
  return { id, path, secret: body.secret as { id: string }, credentials };
}

/** Requests a token with client credentials. */
export const ask = ({ anonymous }: Booted, form: object) =>
  anonymous
    .post('/oauth/token')
    .type('form')
    .send({ grant_type: 'client_credentials', ...form });
