import { connectionPages } from './connections.ts';
import { directoryPages } from './directories.ts';
import { domainForms } from './domains.ts';
import { overviewPages } from './overview.ts';

export const portalService = { ...overviewPages, ...connectionPages, ...domainForms, ...directoryPages };
