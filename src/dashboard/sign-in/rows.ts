import type { Row } from '../../client/control.ts';
import { environment } from '../session.ts';

/** The rows that a sign-in can name. */
export interface Rows {
  clients: Row<'clients'>[];
  organizations: Row<'organizations'>[];
  connections: Row<'connections'>[];
  users: Row<'users'>[];
  ownClient: string;
}

/** Reads them. The clients of an organization are for machines: they sign nobody in. */
export async function signInRows(): Promise<Rows> {
  const { state } = environment.value;
  const [{ client_id: ownClient }, clients, organizations, connections, users] = await Promise.all([
    environment.value.get(),
    state.list('clients'),
    state.list('organizations'),
    state.list('connections'),
    state.list('users'),
  ]);
  const ofEnvironment = clients.filter(({ organization_id }) => organization_id === undefined);
  return { ownClient, clients: ofEnvironment, organizations, connections, users };
}
