import { describe, expect, it } from 'vitest';
import { bootOnce, type Agent, type Booted } from '../support/boot.ts';

const shared = bootOnce();

interface Step {
  depth: number;
  kind: string;
  text: string;
  time?: string;
  machine_time?: string;
  row?: string;
  call?: string;
}

const idOf = ({ headers }: { headers: Record<string, string> }) => headers['understudy-request-id']!;

async function traceOf(control: Agent, id: string): Promise<Step[]> {
  const { body } = await control.get(`/requests/${id}/trace`).expect(200);
  return body.steps;
}

const outline = (steps: readonly Step[]) => steps.map(({ depth, kind }) => `${'  '.repeat(depth)}${kind}`);

const createAcme = ({ api }: Booted) =>
  api.post('/api/v1/organizations').send({ display_name: 'Acme' }).expect(201);

async function invited({ api }: Booted) {
  const { body } = await api.get('/api/v1/organizations?page_size=1').expect(200);
  const { id } = body.organizations[0];
  return api
    .post(`/api/v1/organizations/${id}/users?send_invitation_email=true`)
    .send({ email: 'grace@acme.example', user_profile: { first_name: 'Grace' } })
    .expect(201);
}

describe('Control_GetTrace', () => {
  it('follows a call to its row, event, delivery and attempt', async () => {
    const booted = await shared.fresh({ clock: { mode: 'frozen', at: '2030-01-01T00:00:00Z' } });
    const { control } = booted;
    const endpoint = { kind: 'inbox', event_types: ['organization.*'] };
    await control.post('/webhooks/endpoints').send(endpoint).expect(201);
    const created = await createAcme(booted);
    await control.get('/webhooks/deliveries/wait').expect(200);

    const steps = await traceOf(control, idOf(created));

    expect(outline(steps)).toEqual(['call', '  row', '  event', '    delivery', '      attempt']);
    const { id } = created.body.organization;
    expect(steps[0]).toMatchObject({
      text: 'POST /api/v1/organizations (OrganizationService_CreateOrganization) → 201',
      time: '2030-01-01T00:00:00.000Z',
      call: idOf(created),
    });
    expect(steps[1]).toMatchObject({ text: `created organizations/${id}`, row: `organizations/${id}` });
    expect(steps[2]!.text).toMatch(/^event organization\.created \(evt_/);
    expect(steps[4]).toMatchObject({ time: '2030-01-01T00:00:00.000Z' });
    expect(steps[4]!.text).toMatch(/^attempt 1 → 200, in 0 ms$/);
  });

  it('says when the machine saw a call and an attempt, whatever the clock of the environment says', async () => {
    const booted = await shared.fresh({ clock: { mode: 'frozen', at: '2030-01-01T00:00:00Z' } });
    await booted.control.post('/webhooks/endpoints').send({ kind: 'inbox' }).expect(201);
    const before = Date.now() - 1000;
    const created = await createAcme(booted);
    await booted.control.get('/webhooks/deliveries/wait').expect(200);

    const steps = await traceOf(booted.control, idOf(created));

    const times = steps.flatMap(({ machine_time }) => (machine_time ? [Date.parse(machine_time)] : []));
    expect(times).toHaveLength(2);
    for (const time of times) {
      expect(time).toBeGreaterThan(before);
      expect(time).toBeLessThan(Date.now() + 1000);
    }
  });

  it('leads from a delivery, an event and a row back to the call', async () => {
    const booted = await shared.fresh();
    const { control } = booted;
    await control.post('/webhooks/endpoints').send({ kind: 'inbox' }).expect(201);
    const created = await createAcme(booted);
    const { body } = await control.get('/webhooks/deliveries/wait?type=organization.created').expect(200);
    const [delivery] = body.deliveries;

    const traces = [delivery.id, delivery.event_id, created.body.organization.id].map((id) =>
      control.get(`/requests/${id}/trace`).expect(200),
    );

    const calls = (await Promise.all(traces)).map((trace) => trace.body.call);
    expect(calls).toEqual([idOf(created), idOf(created), idOf(created)]);
  });

  it('shows a mail, and the call that used its code', async () => {
    const booted = await shared.fresh();
    const { api, control } = booted;
    const sent = await api
      .post('/api/v1/passwordless/email/send')
      .send({ email: 'ada@acme.example' })
      .expect(200);
    const { body: mail } = await control.get('/mail/wait?kind=passwordless').expect(200);
    const { auth_request_id } = sent.body;
    const used = await api
      .post('/api/v1/passwordless/email/verify')
      .send({ auth_request_id, code: mail.code })
      .expect(200);

    const steps = await traceOf(control, mail.id);

    expect(steps[0]!.call).toBe(idOf(sent));
    const at = steps.findIndex(({ kind }) => kind === 'mail');
    expect(steps[at]!.text).toContain(': [redacted] is your code to sign in');
    expect(JSON.stringify(steps)).not.toContain(mail.code);
    expect(steps[at]!.row).toBe(`mails/${mail.id}`);
    expect(steps[at + 1]).toMatchObject({ depth: 2, kind: 'call', call: idOf(used) });
    expect(steps[at + 1]!.text).toMatch(/→ 200, which sent its code$/);
  });

  it('shows what is due, and after its time what it caused', async () => {
    const booted = await shared.fresh({ clock: { mode: 'frozen', at: '2030-01-01T00:00:00Z' } });
    const { control } = booted;
    const call = idOf(await invited(booted));
    const early = await traceOf(control, call);
    const due = early.find(({ kind, row }) => kind === 'due' && row!.startsWith('memberships/'))!;
    await control.put('/clock').send({ mode: 'frozen', at: due.time }).expect(200);

    const late = await traceOf(control, call);

    expect(due.text).toMatch(/^The invitation expires/);
    expect(due).not.toHaveProperty('machine_time');
    const at = late.findIndex(({ row, kind }) => kind === 'due' && row === due.row);
    expect(late[at]!.time).toBe(due.time);
    expect(late[at + 1]).toMatchObject({ depth: 3, kind: 'event', time: due.time });
    const { body } = await control.get(`/requests/${late[at + 1]!.row!.slice(7)}/trace`).expect(200);
    expect(body.call).toBe(call);
  });

  it('names the later calls that changed a row', async () => {
    const booted = await shared.fresh();
    const created = await createAcme(booted);
    const { id } = created.body.organization;
    const renamed = await booted.api
      .patch(`/api/v1/organizations/${id}`)
      .send({ display_name: 'Acme AG' })
      .expect(200);

    const steps = await traceOf(booted.control, idOf(created));

    const row = steps.findIndex((step) => step.row === `organizations/${id}`);
    expect(steps[row + 1]).toMatchObject({ depth: 2, call: idOf(renamed) });
    expect(steps[row + 1]!.text).toMatch(/which changed it$/);
  });

  it('says why an id leads to no call', async () => {
    const { control } = await shared.fresh();

    const ofFixture = await control.get('/requests/org_10000000000000001/trace').expect(404);
    const unknown = await control.get('/requests/org_404/trace').expect(404);

    expect(ofFixture.body.message).toMatch(/^no call of the journal wrote org_10000000000000001: /);
    expect(unknown.body.message).toContain('call or row org_404 not found; ');
  });
});
