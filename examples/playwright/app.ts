import { createServer, type Server } from 'node:http';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ScalekitClient } from '@scalekit-sdk/node';

const ORGANIZATION = 'org_10000000000000002';
const LABELS = ['', 'Joined', 'Inactive', 'Invited', 'Invitation expired'];

/** The backend of the page. Only the backend has the credentials. */
export function createBackend(url: string, clientId: string, clientSecret: string): Server {
  const client = new ScalekitClient(url, clientId, clientSecret);

  async function answer(method: string, path: string): Promise<object> {
    if (method === 'POST') {
      await client.user.resendInvite(ORGANIZATION, path.split('/').at(-1)!);
      return { notice: 'Invitation sent' };
    }
    const { users } = await client.user.listOrganizationUsers(ORGANIZATION, { pageSize: 30 });
    return users.map(({ id, email, memberships }) => {
      const status =
        memberships.find(({ organizationId }) => organizationId === ORGANIZATION)?.membershipStatus ?? 0;
      return { id, email, label: LABELS[status] };
    });
  }

  return createServer(async (request, response) => {
    const { method = 'GET', url: path = '/' } = request;
    if (path === '/') return response.end(await readFile(join(import.meta.dirname, 'page.html')));
    const body = await answer(method, path).catch((error: Error) => ({
      notice: `Not sent: ${error.message}`,
    }));
    return response.setHeader('content-type', 'application/json').end(JSON.stringify(body));
  });
}
