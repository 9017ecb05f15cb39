import { environmentClients } from './environment-clients.ts';
import { organizationClients } from './organization-clients.ts';

export const clientService = { ...environmentClients, ...organizationClients };
