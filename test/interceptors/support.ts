import { decodeJwt } from 'jose';
import type { Agent, Booted } from '../support/boot.ts';

export const CLIENT = { client_id: 'm2morg_10000000000000001', client_secret: 'test_acme_m2m_secret' };
export const TRIGGER = 'PRE_M2M_TOKEN_CREATION';
/** The message of a denial for which the interceptor gives none. */
export const FIXED =
  'This request could not be completed because a policy does not allow it. Please contact support.';
/** An address where nothing listens. */
export const SILENCE = 'http://127.0.0.1:1/asked';

/** Creates and enables an interceptor, by default for the tokens of organization clients. */
export async function intercept(api: Agent, wanted: object): Promise<{ id: string }> {
  const named = { display_name: 'Gate', trigger_point: TRIGGER };
  const { body } = await api
    .post('/api/v1/interceptors')
    .send({ ...named, ...wanted })
    .expect(200);
  await api.patch(`/api/v1/interceptors/${body.interceptor.id}:enable`).expect(200);
  return body.interceptor;
}

/** The token request that calls the interceptor. */
export const askForToken = ({ anonymous }: Pick<Booted, 'anonymous'>, more: object = {}) =>
  anonymous
    .post('/oauth/token')
    .type('form')
    .send({ grant_type: 'client_credentials', ...CLIENT, ...more });

export const claimsIn = ({ body }: { body: { access_token: string } }) => decodeJwt(body.access_token);

/** The newest entry of the journal. */
export async function latest(control: Agent) {
  const { body } = await control.get('/requests').expect(200);
  return body.requests.at(-1);
}
