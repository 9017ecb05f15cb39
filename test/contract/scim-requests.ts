import { readContract } from '../../src/contract/documents.ts';
import type { Wanted } from './wanted.ts';

/** The secret of the directory that the fixture fills. */
const headers = { authorization: 'Bearer test_okta_directory_secret_T7qa' };

/** Ada has an account, so that her address cannot change. */
const ADA = {
  schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'],
  userName: 'ada',
  emails: [{ value: 'ada@acme.example' }],
};

export const SCIM_REQUESTS: Readonly<Record<string, Wanted>> = Object.fromEntries(
  readContract('openapi')
    .operations.filter(({ dialect }) => dialect === 'scim')
    .map(({ id, base }) => [id, { headers, ...(base === 'Scim_ReplaceUser' && { body: ADA }) }]),
);
