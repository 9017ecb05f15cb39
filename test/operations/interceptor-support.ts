import { decodeJwt } from 'jose';
import type { Agent, Booted } from '../support/boot.ts';

export const CLIENT = { client_id: 'm2morg_10000000000000001', client_secret: 'test_acme_m2m_secret' };
export const TRIGGER = 'PRE_M2M_TOKEN_CREATION';
/** What the denied are told where the interceptor says nothing. */
export const FIXED =
  'This request could not be completed because a policy does not allow it. Please contact support.';
/** Where nobody listens. */
export const SILENCE = 'http://127.0.0.1:1/asked';

/** An interceptor that is on; asked before a client of an organization gets a token, unless said otherwise. */
export async function intercept(api: Agent, wanted: object): Promise<{ id: string }> {
  const named = { display_name: 'Gate', trigger_point: TRIGGER };
  const { body } = await api
    .post('/api/v1/interceptors')
    .send({ ...named, ...wanted })
    .expect(200);
  await api.patch(`/api/v1/interceptors/${body.interceptor.id}:enable`).expect(200);
  return body.interceptor;
}

/** What asks the interceptor. */
export const askForToken = ({ anonymous }: Pick<Booted, 'anonymous'>, more: object = {}) =>
  anonymous
    .post('/oauth/token')
    .type('form')
    .send({ grant_type: 'client_credentials', ...CLIENT, ...more });

export const claimsIn = ({ body }: { body: { access_token: string } }) => decodeJwt(body.access_token);

/** What the journal says of the interceptors that the latest call asked. */
export async function latest(control: Agent) {
  const { body } = await control.get('/requests').expect(200);
  return body.requests.at(-1);
}
