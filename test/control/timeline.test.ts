import { describe, expect, it } from 'vitest';
import { bootOnce, type Agent, type Booted } from '../support/boot.ts';

interface Item {
  at: string;
  collection: string;
  id: string;
  kind: 'change' | 'attempt' | 'expiry';
  effect: string;
  label?: string;
}
type Row = Record<string, unknown> & { id: string };
type State = Record<string, Row[]>;

const { same, fresh } = bootOnce();
const NOW = '2030-01-01T00:00:00.000Z';
const LENA = '/api/v1/invites/organizations/org_10000000000000002/users/usr_10000000000000105/resend';

const timelineOf = async (control: Agent) =>
  (await control.get('/clock/timeline?limit=1000').expect(200)).body as {
    now: string;
    due: Item[];
    expired: Item[];
    counts: { due: number; expired: number };
  };
const stateOf = async (control: Agent): Promise<State> => (await control.get('/state').expect(200)).body;
const freeze = (control: Agent, at: string | number) =>
  control
    .put('/clock')
    .send({ mode: 'frozen', at: new Date(at).toISOString() })
    .expect(200);

const keyOf = ({ collection, id }: Pick<Item, 'collection' | 'id'>) => `${collection} ${id}`;
const rowsOf = (state: State) =>
  new Map(Object.entries(state).flatMap(([name, all]) => all.map((row) => [`${name} ${row.id}`, row])));

/** Rows that changed; new rows are left out. */
function changedRows(before: State, after: State): string[] {
  const rows = rowsOf(after);
  return [...rowsOf(before)]
    .filter(([key, row]) => JSON.stringify(rows.get(key)) !== JSON.stringify(row))
    .map(([key]) => key);
}

/** An environment with a deadline in a row of every collection that has deadlines. */
async function environmentWithDeadlines(): Promise<Booted> {
  const booted = await fresh({ clock: { mode: 'frozen', at: NOW } });
  const { api, control } = booted;
  await api.patch(LENA).send({}).expect(200);
  const send = { email: 'ada@acme.example', template: 'SIGNIN' };
  await api.post('/api/v1/passwordless/email/send').send(send).expect(200);
  for (const [collection, change] of Object.entries(CHANGES)) {
    const { body } = await control.get(`/state/${collection}`).expect(200);
    const [row] = body.rows as Row[];
    if (row) await control.patch(`/state/${collection}/${row.id}`).send(change(row)).expect(200);
  }
  return booted;
}

const CHANGES: Record<string, (row: Row) => object> = {
  domains: () => ({ verification_status: 'PENDING', verify_before: 'now+3h' }),
  sessions: () => ({ status: 'active', idle_expires_at: 'now+2h', absolute_expires_at: 'now+9h' }),
  api_tokens: () => ({ status: 'ACTIVE', expiry: 'now+1d' }),
  connected_accounts: () => ({
    status: 'ACTIVE',
    authorization_details: null,
    token_expires_at: 'now+5h',
  }),
  directories: ({ secrets }) => ({
    secrets: (secrets as object[]).map((secret) => ({ ...secret, status: 'ACTIVE', expire_time: 'now+4h' })),
  }),
};

describe('Control_GetTimeline', () => {
  it('lists each change at the time when it happens', async () => {
    const { control } = await environmentWithDeadlines();
    const { due } = await timelineOf(control);
    const changes = due.filter(({ kind }) => kind !== 'expiry');
    expect(new Set(changes.map(({ collection }) => collection))).toEqual(
      new Set(['memberships', 'passwordless_requests', 'login_requests', ...Object.keys(CHANGES)]),
    );

    for (const at of new Set(changes.map((item) => item.at))) {
      const items = changes.filter((item) => item.at === at);
      await freeze(control, Date.parse(at) - 1);
      const before = await stateOf(control);
      expect((await timelineOf(control)).due).toEqual(expect.arrayContaining(items));

      await freeze(control, at);

      const after = await stateOf(control);
      expect(changedRows(before, after)).toEqual(expect.arrayContaining(items.map(keyOf)));
      for (const item of items) {
        const [, member, value] = /: (\w+) becomes (\w+)\./.exec(item.effect) ?? [];
        if (member) expect(rowsOf(after).get(keyOf(item))).toMatchObject({ [member]: value });
      }
    }
  });

  it('lists every row that changes at a deadline', async () => {
    const { control } = await environmentWithDeadlines();
    const { due } = await timelineOf(control);
    const before = await stateOf(control);

    await control.post('/clock/advance').send({ by: '3650d' }).expect(200);

    const listed = new Set(due.filter(({ kind }) => kind !== 'expiry').map(keyOf));
    expect(new Set(changedRows(before, await stateOf(control)))).toEqual(listed);
    const { expired } = await timelineOf(control);
    expect(expired.map(keyOf)).toEqual(expect.arrayContaining([...listed]));
  });

  it('lists links and codes, which are refused after their time', async () => {
    const { api, anonymous, control } = await fresh({ clock: { mode: 'frozen', at: NOW } });
    const made = await api
      .put('/api/v1/organizations/org_10000000000000001/portal_links')
      .send({})
      .expect(200);
    const path = new URL(made.body.link.location).pathname;
    const link = (await timelineOf(control)).due.find(({ collection }) => collection === 'portal_links');

    expect(link).toMatchObject({ kind: 'expiry', effect: 'The portal link expires.' });
    await freeze(control, Date.parse(link!.at) + 1000);

    await anonymous.get(path).expect(410);
    expect((await timelineOf(control)).expired[0]).toEqual(link);
  });

  it('lists the next attempt of a delivery, which is then made at that time', async () => {
    const { api, control } = await fresh({ clock: { mode: 'frozen', at: NOW } });
    const rules = [{ on: 'webhook.*', reply: { status: 500 }, times: 1 }];
    await control.post('/webhooks/endpoints').send({ kind: 'inbox' }).expect(201);
    await control.post('/scenarios').send({ name: 'receiver-down', rules }).expect(201);
    await api.post('/api/v1/organizations').send({ display_name: 'Later Ltd' }).expect(201);
    await control.get('/webhooks/deliveries/wait?status=RETRYING&timeout=2m').expect(200);

    const { due } = await timelineOf(control);
    const attempt = due.find(({ kind }) => kind === 'attempt')!;
    expect(attempt).toMatchObject({ collection: 'webhook_deliveries', label: 'organization.created' });
    await freeze(control, attempt.at);

    await control.get(`/webhooks/deliveries/wait?status=SUCCESS&timeout=2m`).expect(200);
  });

  it('covers every collection of the document whose rows have an expiry time', async () => {
    const { control } = await same();
    const { body } = await control.get('/openapi.json').expect(200);
    const { schemas } = body.components as {
      schemas: Record<string, { properties: Record<string, unknown> }>;
    };
    const collections = Object.entries(schemas['State']!.properties) as [
      string,
      { items: { $ref: string } },
    ][];
    const timed = collections
      .filter(([, { items }]) => {
        const { properties } = schemas[items.$ref.split('/').at(-1)!]!;
        return Object.keys(properties).some((name) =>
          /^(\w+_)?(expires_at|expire_time|verify_before|next_attempt_at)$/.test(name),
        );
      })
      .map(([name]) => name);

    const { known } = await knownCollections();

    // A revoked token stays revoked: when it expires, only its row is removed.
    expect(timed.filter((name) => !known.has(name))).toEqual(['revoked_tokens']);
  });

  it('limits the items and counts all', async () => {
    const { control } = await environmentWithDeadlines();

    const { body } = await control.get('/clock/timeline?limit=2').expect(200);

    expect(body.due).toHaveLength(2);
    expect(body.counts.due).toBeGreaterThan(2);
    expect(body.due.map(({ at }: Item) => at)).toEqual(body.due.map(({ at }: Item) => at).toSorted());
  });

  it('names the user of an invitation', async () => {
    const { api, control } = await fresh({ clock: { mode: 'frozen', at: NOW } });
    await api.patch(LENA).send({}).expect(200);

    const { due } = await timelineOf(control);

    expect(due.find(({ collection }) => collection === 'memberships')).toMatchObject({
      label: expect.stringContaining('lena'),
      effect: 'The invitation expires: membership_status becomes INVITE_EXPIRED.',
    });
  });
});

const knownCollections = async () => ({
  known: new Set(Object.keys((await import('../../src/state/timeline.ts')).TIME_RULES)),
});
