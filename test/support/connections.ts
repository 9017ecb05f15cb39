import type { Agent } from './boot.ts';
import { NORDWIND } from './fixture-ids.ts';

export const NOW = '2030-01-01T00:00:00.000Z';

/** Creates a connection through the API; without an organization it belongs to the environment. */
export async function create(api: Agent, given: object, organization?: string, flags = '') {
  const path = organization ? `/api/v1/organizations/${organization}/connections` : '/api/v1/connections';
  const { body } = await api.post(`${path}${flags}`).send(given).expect(201);
  return body.connection;
}

export const pathOf = ({ id, organization_id }: { id: string; organization_id?: string }) =>
  organization_id
    ? `/api/v1/organizations/${organization_id}/connections/${id}`
    : `/api/v1/connections/${id}`;

export const OIDC_SETTINGS = {
  issuer: 'https://nordwind.okta.example',
  client_id: '0oa1',
  client_secret: 'hush-hush',
};

/** Creates an enabled OIDC connection with complete settings. */
export async function createReady(api: Agent, organization = NORDWIND) {
  const connection = await create(api, { provider: 'OKTA', type: 'OIDC' }, organization);
  await api.patch(pathOf(connection)).send({ oidc_config: OIDC_SETTINGS }).expect(200);
  await api.patch(`${pathOf(connection)}:enable`).expect(200);
  return connection;
}

/** Inserts a domain row for an organization. */
export async function addDomain(control: Agent, id: string, domain: string, wanted: object = {}) {
  const row = {
    organization_id: NORDWIND,
    domain,
    domain_type: 'ORGANIZATION_DOMAIN',
    verification_status: 'VERIFIED',
    verification_method: 'ADMIN',
    txt_record_key: '',
    txt_record_secret: '',
    create_time: NOW,
    update_time: NOW,
    ...wanted,
  };
  await control.put(`/state/domains/${id}`).send(row).expect(200);
  return { id, environment_id: 'env_10000000000000001', ...row };
}

export const IDP_CERTIFICATE = `-----BEGIN CERTIFICATE-----
MIIBujCCAV+gAwIBAgIUXdcIiX9cJ7YAPS2il7RuXMoT76wwCgYIKoZIzj0EAwIw
MjERMA8GA1UECgwITm9yZHdpbmQxHTAbBgNVBAMMFGlkcC5ub3Jkd2luZC5leGFt
cGxlMB4XDTI2MTEyMTE1NDgxMFoXDTM2MTExODE1NDgxMFowMjERMA8GA1UECgwI
Tm9yZHdpbmQxHTAbBgNVBAMMFGlkcC5ub3Jkd2luZC5leGFtcGxlMFkwEwYHKoZI
zj0CAQYIKoZIzj0DAQcDQgAEl6zV6vOr5dJdB+5iAEY8L4vb2vAX4dS0i/bxeT2D
LRz/ujVA09D5Izhj+I/WprA+3Qhz2gtVoHbu3uGSENt1cKNTMFEwHQYDVR0OBBYE
FINKoq2WFTSkLh/aRmWmEL62fRWWMB8GA1UdIwQYMBaAFINKoq2WFTSkLh/aRmWm
EL62fRWWMA8GA1UdEwEB/wQFMAMBAf8wCgYIKoZIzj0EAwIDSQAwRgIhAPcXE0EP
+zn1IlGTA3mfGm9eeFNIc4yBzZI7HMY6vGIRAiEA7VjrFAIbx/Z3u/Jx1encrNzX
Qj6ik71psppyh3YBBz4=
-----END CERTIFICATE-----
`;

/** Another certificate, as base64 without the PEM lines. */
export const NEXT_CERTIFICATE =
  'MIIBlDCCATugAwIBAgIUMmHgF/aweaqNrIpBT+jTJGlLm6kwCgYIKoZIzj0EAwIw' +
  'IDEeMBwGA1UEAwwVbmV4dC5ub3Jkd2luZC5leGFtcGxlMB4XDTI2MTEyMTE1NDgx' +
  'MFoXDTI3MTEyMTE1NDgxMFowIDEeMBwGA1UEAwwVbmV4dC5ub3Jkd2luZC5leGFt' +
  'cGxlMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE43rpE96lPMDDJ7UokBFh+MxE' +
  'r7EiUWgCorS4EtiiwCPRDv5cIy3aR4GFImTBI5+Eaqcq4uKya11Mx4c1TRBB7qNT' +
  'MFEwHQYDVR0OBBYEFHB44cO3jO4KpOGGgbGU5eMBj2DpMB8GA1UdIwQYMBaAFHB4' +
  '4cO3jO4KpOGGgbGU5eMBj2DpMA8GA1UdEwEB/wQFMAMBAf8wCgYIKoZIzj0EAwID' +
  'RwAwRAIgNiqBSUtdgbS/FxBRUIQmXEtPqB9JhPv7kJwKgUx361YCIDyvVkcgDuX4' +
  '+BQwg/YKdIGJ+f4JsQoB6u5Er+JCiaEj';

/** A fixed clock and base URL, so that links and times are the same in every call. */
export const FIXED = { now: NOW, baseUrl: 'https://idp.example' };

export const MASK = '********';

type Created = { id: string; organization_id?: string };

export const update = async (api: Agent, connection: Created, given: object) =>
  (await api.patch(pathOf(connection)).send(given).expect(200)).body.connection;

/** Sends invalid settings and returns the error. */
export const refused = async (api: Agent, connection: Created, given: object) =>
  (await api.patch(pathOf(connection)).send(given).expect(400)).body;
