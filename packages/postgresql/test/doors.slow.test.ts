import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HAS_POSTGRES, Postgres } from '../../../test/support/postgres.ts';
import { eventually } from '../../../test/support/process.ts';
import { owning, startPeers, type Replica } from '../../../test/support/replicas.ts';

interface Push {
  label: string;
  status: string;
  attempts: { requests: { method: string; path: string; status: number }[] }[];
}

let postgres: Postgres;

beforeAll(async () => {
  if (HAS_POSTGRES) postgres = await Postgres.start();
});

afterAll(() => postgres?.stop());

const act = ({ control }: Replica, action: object) =>
  control
    .post('/idp/actions')
    .send({ provider: 'okta', ...action })
    .expect(200);

const pushesOf = async ({ control }: Replica): Promise<Push[]> => {
  const { body } = await control.get('/idp').expect(200);
  return body.providers.flatMap(({ pushes }: { pushes: Push[] }) => pushes);
};

const requestsIn = (pushes: readonly Push[], label: string) =>
  pushes
    .filter((push) => push.label === label)
    .flatMap(({ attempts }) => attempts.flatMap(({ requests }) => requests))
    .map(({ method, path, status }) => `${method} ${path.split('?')[0]} ${status}`);

describe.skipIf(!HAS_POSTGRES)('a push of an identity provider, with several replicas', () => {
  it('is made once, whichever replica was asked for it', async () => {
    const [first, second] = await startPeers(await postgres.database());

    const { body } = await act(second, { action: 'create', user: 'mia@acme.example' });

    const made = ['GET /Users 200', 'POST /Users 201'];
    expect(requestsIn(body.pushes, 'mia@acme.example')).toEqual(made);
    expect(requestsIn(await pushesOf(first), 'mia@acme.example')).toEqual(made);
    expect(requestsIn(await pushesOf(second), 'mia@acme.example')).toEqual(made);
    const { body: state } = await first.control.get('/state/directory_users').expect(200);
    expect(state.rows.filter(({ email }: { email: string }) => email === 'mia@acme.example')).toHaveLength(1);
  });

  it('that waits is made by the replica that takes over', async () => {
    const [first, second] = await startPeers(await postgres.database());
    await act(first, { action: 'create', user: 'mia@acme.example', late: '1h' });
    await first.close();
    await owning(second);
    expect((await pushesOf(second)).at(-1)).toMatchObject({ status: 'QUEUED' });

    await second.control.post('/clock/advance').send({ by: '1h' }).expect(200);

    const pushes = await eventually(
      () => pushesOf(second),
      (all) => all.every(({ status }) => status === 'DONE'),
    );
    expect(requestsIn(pushes, 'mia@acme.example')).toEqual(['GET /Users 200', 'POST /Users 201']);
    const { body } = await second.control.get('/state/directory_users').expect(200);
    expect(body.rows).toContainEqual(expect.objectContaining({ email: 'mia@acme.example' }));
  });
});

describe.skipIf(!HAS_POSTGRES)('a SAML response, with several replicas', () => {
  const CONNECTION = 'conn_10000000000000252';
  const SERVICE = 'http://app.example/saml';

  it('is taken once, also by the replica that takes over', async () => {
    const [first, second] = await startPeers(await postgres.database());
    const saml_config = {
      allow_idp_initiated_login: true,
      sp_entity_id: SERVICE,
      sp_assertion_url: `${SERVICE}/acs`,
    };
    await second.control
      .patch(`/state/connections/${CONNECTION}`)
      .send({ status: 'COMPLETED', enabled: true, saml_config })
      .expect(200);
    const page = await second.anonymous
      .post(`/ui/identity-provider/saml/${CONNECTION}/answer`)
      .type('form')
      .send({ email: 'nina@nordwind.example', acs: `${SERVICE}/acs`, audience: SERVICE })
      .expect(200);
    const [, SAMLResponse] = /name="SAMLResponse" value="([^"]*)"/.exec(page.text)!;
    const send = ({ anonymous }: Replica) =>
      anonymous.post(`/sso/v1/saml/${CONNECTION}/callback`).type('form').send({ SAMLResponse });

    expect((await send(second)).headers['location']).toContain('idp_initiated_login=');
    expect((await send(first)).text).toContain('the assertion was used before');
    await first.close();
    await owning(second);
    expect((await send(second)).text).toContain('the assertion was used before');
  });
});
