import { agentWithHeaders, type Agent, type Booted } from './boot.ts';

export const USER = 'urn:ietf:params:scim:schemas:core:2.0:User';
export const ENTERPRISE = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';
export const GROUP = 'urn:ietf:params:scim:schemas:core:2.0:Group';
export const PATCH = 'urn:ietf:params:scim:api:messages:2.0:PatchOp';
export const ERROR = 'urn:ietf:params:scim:api:messages:2.0:Error';

const ACME = '/api/v1/organizations/org_10000000000000001/directories';
/** The directory of the fixture that has users and groups. */
export const OKTA_ID = 'dir_10000000000000601';

export interface Provider {
  /** Sends calls to the directory's address with its secret; give the path below that. */
  scim: Agent;
  id: string;
  secret: string;
}

/** An identity provider of a new and empty directory of Acme, or of the one that the fixture fills. */
export async function provider({ api, anonymous }: Booted, known?: string): Promise<Provider> {
  const id = known ?? (await newDirectory(api));
  const { body } = await api.post(`${ACME}/${id}/secrets`).expect(200);
  return { scim: scimWith(anonymous, id, body.plain_secret), id, secret: body.plain_secret };
}

async function newDirectory(api: Agent): Promise<string> {
  const { body } = await api
    .post(ACME)
    .send({ directory_type: 'SCIM', directory_provider: 'OKTA' })
    .expect(200);
  return body.directory.id;
}

export function scimWith(anonymous: Agent, directory: string, secret: string): Agent {
  const below = (verb: keyof Agent) => (path: string) =>
    anonymous[verb](`/directory/${directory}/scim/v2${path}`);
  const agent = {
    get: below('get'),
    post: below('post'),
    put: below('put'),
    patch: below('patch'),
    delete: below('delete'),
  };
  const headers = { authorization: `Bearer ${secret}`, 'content-type': 'application/scim+json' };
  return agentWithHeaders(agent, headers);
}

export const aUser = (userName: string, more: object = {}) => ({
  schemas: [USER],
  userName,
  name: { givenName: 'Mia', familyName: 'Roth' },
  emails: [{ value: userName, type: 'work', primary: true }],
  active: true,
  ...more,
});

export const aGroup = (displayName: string, members: readonly string[] = []) => ({
  schemas: [GROUP],
  displayName,
  members: members.map((value) => ({ value })),
});

export const operations = (...Operations: object[]) => ({ schemas: [PATCH], Operations });

/** A body that supertest sends as it is. */
export const asText = (body: object): string => JSON.stringify(body);

/** The id of a pushed user. */
export async function pushUser(scim: Agent, userName: string, more: object = {}): Promise<string> {
  const { body } = await scim
    .post('/Users')
    .send(asText(aUser(userName, more)))
    .expect(201);
  return body.id;
}

export async function pushGroup(scim: Agent, name: string, members: readonly string[] = []): Promise<string> {
  const { body } = await scim
    .post('/Groups')
    .send(asText(aGroup(name, members)))
    .expect(201);
  return body.id;
}
