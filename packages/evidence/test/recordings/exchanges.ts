import type { Exchange } from '../../src/recordings/exchange.ts';

type Parts = Partial<Omit<Exchange, 'request' | 'response'>> & {
  request?: Partial<Exchange['request']>;
  response?: Partial<Exchange['response']>;
};

/** A list of organizations as a recording has it, with other parts where they are given. */
export const exchange = ({ request, response, ...others }: Parts = {}): Exchange => ({
  n: 1,
  at: '2026-03-01T09:00:00.000Z',
  ended: '2026-03-01T09:00:00.020Z',
  protocol: 'rest',
  operation: 'OrganizationService_ListOrganization',
  ...others,
  request: { method: 'GET', path: '/api/v1/organizations?page_size=2', headers: {}, ...request },
  response: { status: 200, headers: { 'content-type': 'application/json' }, ...response },
});
