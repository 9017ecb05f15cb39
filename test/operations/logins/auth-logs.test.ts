import { describe, expect, it } from 'vitest';
import { boot, type Agent } from '../../support/boot.ts';
import { invalid } from '../../support/violations.ts';
import { ACME, OKTA } from '../../support/fixture-ids.ts';

const PATH = '/api/v1/logs/authentication/requests';
const NOON = '2030-01-01T12:00:00.000Z';

interface List {
  authRequests: { auth_request_id: string }[];
  total_size: number;
  next_page_token: string;
  prev_page_token: string;
}

const list = async (api: Agent, query = ''): Promise<List> =>
  (await api.get(`${PATH}${query}`).expect(200)).body;
const numbers = ({ authRequests }: List) =>
  authRequests.map(({ auth_request_id }) => Number(auth_request_id.slice(-1)));

/** Boots with the log entries req_1 to req_6, one minute apart from noon on. */
async function bootWithLogs() {
  const booted = await boot({ now: NOON });
  const old = (await booted.control.get('/state/auth_logs').expect(200)).body.rows as { id: string }[];
  for (const { id } of old) await booted.control.delete(`/state/auth_logs/${id}`).expect(204);
  const rows = [
    { email: 'ada@acme.example', status: 'SUCCESS', client_id: 'skc_7', resource_id: 'res_1' },
    { email: 'ravi@acme.example', status: 'FAILED', client_id: 'skc_7' },
    { email: 'Ada@acme.example', status: 'FAILED', client_id: 'skc_8', resource_id: 'res_1' },
    { email: '', status: 'INITIATED', connected_account_identifier: 'ada' },
    { email: '', status: 'PENDING', connected_account_identifier: 'ravi' },
    { email: 'ada@acme.example', status: 'SUCCESS' },
  ];
  for (const [index, row] of rows.entries())
    await booted.control
      .put(`/state/auth_logs/req_${index + 1}`)
      .send({ timestamp: `now+${index}m`, ...row })
      .expect(200);
  return booted;
}

describe('AuditLogsService_ListAuthRequests', () => {
  it('answers empty strings for attributes that an entry does not have', async () => {
    const { api, control } = await boot({ now: NOON });
    const row = {
      organization_id: ACME,
      connection_id: OKTA,
      connection_type: 'OIDC',
      connection_provider: 'OKTA',
      email: 'ada@acme.example',
      status: 'SUCCESS',
      timestamp: 'now',
    };
    await control.put('/state/auth_logs/req_1').send(row).expect(200);
    await control
      .put('/state/auth_logs/req_2')
      .send({ email: '', status: 'FAILED', timestamp: 'now' })
      .expect(200);

    const { authRequests } = await list(api, '?page_size=2');

    const { email: _, status: __, timestamp: ___, ...connection } = row;
    const empty = {
      environment_id: 'env_10000000000000001',
      workflow: '',
      resource_id: '',
      resource_name: '',
      resource_type: '',
      connected_account_identifier: '',
      client_id: '',
      client_name: '',
      client_type: '',
    };
    const noConnection = {
      organization_id: '',
      connection_id: '',
      connection_type: '',
      connection_provider: '',
    };
    const failed = { auth_request_id: 'req_2', email: '', status: 'FAILED', timestamp: NOON };
    expect(authRequests).toEqual([
      { ...empty, ...noConnection, ...failed, connection_details: [] },
      { ...empty, ...row, timestamp: NOON, auth_request_id: 'req_1', connection_details: [connection] },
    ]);
  });

  it.each([
    ['email=ADA@acme.example', [6, 3, 1]],
    ['status=SUCCESS', [6, 1]],
    ['status=success&status=Pending', [6, 5, 1]],
    ['start_time=2030-01-01T12:03:00Z', [6, 5, 4]],
    ['end_time=2030-01-01T12:01:00Z', [2, 1]],
    ['start_time=2030-01-01T12:01:00Z&end_time=2030-01-01T12:02:00Z', [3, 2]],
    ['resource_id=res_1', [3, 1]],
    ['connected_account_identifier=ada', [4]],
    ['client_id=skc_7', [2, 1]],
    ['client_id=skc_7&status=failed', [2]],
    ['email=ada@acme.example&resource_id=res_1&client_id=skc_8', [3]],
    ['connected_account_identifier=ravi&client_id=skc_7', []],
    ['email=nobody@acme.example', []],
    ['', [6, 5, 4, 3, 2, 1]],
  ])('filters by %s and counts only the matches', async (query, expected) => {
    const { api } = await bootWithLogs();

    const body = await list(api, `?${query}`);

    expect(numbers(body)).toEqual(expected);
    expect(body.total_size).toBe(expected.length);
  });

  it('pages forwards and backwards', async () => {
    const { api } = await bootWithLogs();

    const first = await list(api, '?page_size=4');
    const last = await list(api, `?page_size=4&page_token=${first.next_page_token}`);
    const back = await list(api, `?page_size=4&page_token=${last.prev_page_token}`);

    expect([first, last, back].map(numbers)).toEqual([
      [6, 5, 4, 3],
      [2, 1],
      [6, 5, 4, 3],
    ]);
    expect([first.prev_page_token, last.next_page_token]).toEqual(['', '']);
  });

  it('keeps entries whose organization was deleted', async () => {
    const { api, control } = await boot();
    await control.delete(`/state/organizations/${ACME}`).expect(204);

    const { authRequests } = await list(api, '?email=ada@acme.example');

    expect(authRequests).toMatchObject([{ organization_id: ACME, connection_id: OKTA }]);
  });

  it.each([
    ['a status', 'status=DONE', 'status DONE is not one of INITIATED, PENDING, SUCCESS, FAILED'],
    ['a page token', 'page_token=x', 'invalid page_token'],
  ])('refuses %s that is invalid', async (_, query, message) => {
    const { api } = await boot();

    const answer = await api.get(`${PATH}?${query}`).expect(400);

    expect(answer.body).toEqual(invalid(message));
  });
});
