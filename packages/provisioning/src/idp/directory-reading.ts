import type { Rows } from '@understudy/core/state/env';
import { isObject } from '@understudy/text/json';
import type { Profile } from './dialects.ts';
import type { ScimAnswer, ScimClient } from './scim-client.ts';

type Pushed<C extends 'idp_users' | 'idp_groups'> = NonNullable<Rows[C]['pushed']>;

/** What a directory has, by the ids of the directory. */
export interface DirectoryContent {
  users: ReadonlyMap<string, Pushed<'idp_users'>>;
  groups: ReadonlyMap<string, Pushed<'idp_groups'>>;
}

interface ReadDirectory {
  /** The first answer that was no success; undefined: all were. */
  refusal: ScimAnswer | undefined;
  content?: DirectoryContent;
}

type Resource = Readonly<Record<string, unknown>>;

const PAGE_SIZE = 100;
/** A directory that announces more than it lists is not read for ever. */
const MOST_PAGES = 1_000;

export const isOk = ({ status }: ScimAnswer): boolean => status >= 200 && status < 300;

/** Reads all users and groups of the directory, page by page. */
export async function readDirectory(client: ScimClient): Promise<ReadDirectory> {
  const users = await readPages(client, '/Users');
  if ('status' in users) return { refusal: users };
  const groups = await readPages(client, '/Groups');
  if ('status' in groups) return { refusal: groups };
  const content = { users: byId(users, profileIn), groups: byId(groups, groupIn) };
  return { refusal: undefined, content };
}

/** Every resource, or the answer that was no success. */
async function readPages(client: ScimClient, path: string): Promise<Resource[] | ScimAnswer> {
  const read: Resource[] = [];
  for (let page = 0; page < MOST_PAGES; page += 1) {
    const answer = await client.call('GET', `${path}?startIndex=${read.length + 1}&count=${PAGE_SIZE}`);
    if (!isOk(answer)) return answer;
    const found = resourcesIn(answer);
    read.push(...found);
    if (found.length === 0 || read.length >= Number(answer.body['totalResults'])) break;
  }
  return read;
}

export const resourcesIn = ({ body }: ScimAnswer): Resource[] => objectsIn(body['Resources']);

const objectsIn = (value: unknown): Resource[] => (Array.isArray(value) ? value.filter(isObject) : []);

function byId<T>(resources: readonly Resource[], view: (resource: Resource) => T): ReadonlyMap<string, T> {
  const known = resources.filter(({ id }) => typeof id === 'string');
  return new Map(known.map((resource) => [textIn(resource, 'id'), view(resource)]));
}

function profileIn(resource: Resource): Profile {
  const emails = objectsIn(resource['emails']);
  const main = emails.find(({ primary }) => primary === true) ?? emails[0] ?? {};
  const name = isObject(resource['name']) ? resource['name'] : {};
  return {
    email: textIn(main, 'value'),
    user_name: textIn(resource, 'userName'),
    given_name: textIn(name, 'givenName'),
    family_name: textIn(name, 'familyName'),
    active: resource['active'] !== false,
  };
}

const groupIn = (resource: Resource) => ({
  display_name: textIn(resource, 'displayName'),
  members: objectsIn(resource['members']).map((member) => textIn(member, 'value')),
});

const textIn = (resource: Resource, name: string): string => {
  const value = resource[name];
  return typeof value === 'string' ? value : '';
};
