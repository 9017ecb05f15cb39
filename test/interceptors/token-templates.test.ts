import { create } from '@bufbuild/protobuf';
import { describe, expect, it } from 'vitest';
import { NOW, refresh, ask, tokensOf, verified } from '../operations/oauth-support.ts';
import { callRpc, grpcTo, METHODS, openFor } from '../server/grpc/support.ts';
import { boot, bootOnce, type Agent, type Booted } from '../support/boot.ts';
import { patchRow } from '../support/sso.ts';
import { askForToken, claimsIn, CLIENT } from './support.ts';
import { ACME, ADA } from '../support/fixture-ids.ts';

const { fresh } = bootOnce();
const PATH = '/api/v1/token-templates';
const put = (api: Agent, template: object) => api.put(PATH).send({ template });
const preview = (api: Agent, body: object = {}) =>
  api.post(`${PATH}/preview`).send({ user_id: ADA, ...body });

async function enable({ api }: Pick<Booted, 'api'>, template: object) {
  await put(api, template).expect(200);
  await api.patch(`${PATH}:enable`).expect(200);
}

describe('the token template', () => {
  it('is saved, switched on and off, and deleted', async () => {
    const { api } = await fresh();
    const paths = [
      api.get(PATH),
      api.delete(PATH),
      api.patch(`${PATH}:enable`),
      api.patch(`${PATH}:disable`),
    ];
    for (const call of [...paths, preview(api)]) await call.expect(404);

    const first = await put(api, { a: 1 }).expect(200);
    await api.patch(`${PATH}:enable`).expect(200, {});
    const second = await put(api, { b: 2 }).expect(200);
    await api.patch(`${PATH}:disable`).expect(200, {});
    const shown = await api.get(PATH).expect(200);
    await api.delete(PATH).expect(200, {});

    const times = { created_at: expect.any(String), updated_at: expect.any(String) };
    expect(first.body).toEqual({ config: { template: { a: 1 }, enabled: false, ...times } });
    expect(second.body).toEqual({ config: { template: { b: 2 }, enabled: true, ...times } });
    expect(shown.body).toMatchObject({ config: { template: { b: 2 }, enabled: false } });
    await api.get(PATH).expect(404);
  });

  it('adds its claims to access tokens of users while it is on', async () => {
    const booted = await boot({ now: NOW });
    await patchRow(booted.control, 'users', ADA, { metadata: { level: 'gold' } });
    await enable(booted, {
      role: '{{user.metadata.role ?? "viewer"}}',
      level: '{{ user.metadata.level ?? "none" }}',
      nothing: '{{user.metadata.nothing}}',
      greeting: '{{user.email}} of {{organization.name}}{{user.metadata.nothing}}!',
      nested: { status: '{{user.current_membership.status}}', list: ['{{organization.id}}', 7, true] },
      verified_address: '{{user.email_verified}}',
    });
    const wanted = {
      role: 'viewer',
      level: 'gold',
      greeting: 'ada@acme.example of Acme Corp!',
      nested: { status: 'active', list: [ACME, 7, true] },
      verified_address: true,
    };

    const first = await tokensOf(booted);
    await patchRow(booted.control, 'users', ADA, { metadata: { role: 'boss' } });
    const { body: second } = await ask(booted.anonymous, refresh(first.refresh_token)).expect(200);
    await booted.api.patch(`${PATH}:disable`).expect(200);
    const { body: third } = await ask(booted.anonymous, refresh(second.refresh_token)).expect(200);

    const claims = await verified(booted, first.access_token);
    expect(claims).toMatchObject({ ...wanted, sub: ADA });
    expect(claims).not.toHaveProperty('nothing');
    expect(await verified(booted, first.id_token)).not.toHaveProperty('greeting');
    expect(await verified(booted, second.access_token)).toMatchObject({ role: 'boss', level: 'gold' });
    expect(await verified(booted, third.access_token)).not.toHaveProperty('role');
  });

  it("adds its claims to tokens of an organization's client, and to no other client's", async () => {
    const booted = await boot();
    await enable(booted, {
      by: '{{m2m_token_claims.client_id}}',
      of: '{{organization.name}}',
      user: '{{user.id}}',
    });

    const claims = claimsIn(await askForToken(booted).expect(200));
    const own = claimsIn(
      await booted.anonymous
        .post('/oauth/token')
        .type('form')
        .send({
          grant_type: 'client_credentials',
          client_id: 'skc_1000000000000000001',
          client_secret: 'test_understudy_default_secret',
        })
        .expect(200),
    );

    expect(claims).toMatchObject({ by: CLIENT.client_id, of: 'Acme Corp' });
    expect(claims).not.toHaveProperty('user');
    expect(own).not.toHaveProperty('of');
  });

  it.each([
    [{ a: '{{user.email | upper}}' }, 'template.a: {{user.email | upper}} is not evaluated ("(" is missing)'],
    [{ a: ['{{session.id}}'] }, 'template.a[0]: {{session.id}} is not evaluated (unknown name)'],
    [{ a: { b: '{{user.id == 7}}' } }, 'template.a.b: {{user.id == 7}} is not evaluated (unexpected text)'],
    [{ a: '{{user.id user.id}}' }, 'template.a: {{user.id user.id}} is not evaluated (unexpected text)'],
    [{ a: '{{split(user.id)}}' }, '{{split(user.id)}} is not evaluated (wrong number of arguments)'],
    [{ a: '{{constructor(user.id)}}' }, '{{constructor(user.id)}} is not evaluated (unknown name)'],
    [{ a: `{{${'('.repeat(7000)}}}` }, 'is not evaluated (too deep)'],
    [{ a: '{{}}' }, 'template.a: {{}} is not evaluated (unexpected text)'],
    [{ a: '{{user.id' }, 'template.a: the expression has no }} at its end'],
    [{ sub: 'root' }, "template.sub: the claim sub is the service's own"],
    [{ resid: 'res_1' }, "template.resid: the claim resid is the service's own"],
    [Object.fromEntries(Array.from({ length: 51 }, (_, i) => [`c${i}`, i])), 'at most 50 may be set'],
    [{ a: 'x'.repeat(16_000) }, 'template: has more than 16000 characters'],
  ])('refuses %j', async (template, message) => {
    const { api } = await fresh();

    const { body } = await put(api, template).expect(400);
    await preview(api, { template }).expect(400);

    expect(body.message).toContain(message);
    await api.get(PATH).expect(404);
  });

  it('leaves out the claims that fail, and adds the others', async () => {
    const booted = await boot({ now: NOW });
    const template = {
      sub: 'root',
      a: '{{user.id',
      b: '{{upper(user.email_verified)}}',
      c: '{{upper(user.name)}}',
    };
    const row = { template, enabled: true };
    await booted.control.put('/state/token_templates/token_template').send(row).expect(200);

    const claims = await verified(booted, (await tokensOf(booted)).access_token);

    expect(claims).toMatchObject({ sub: ADA, c: 'ADA BYRNE' });
    expect(claims).not.toHaveProperty('a');
    expect(claims).not.toHaveProperty('b');
  });

  it.each([
    ['user.email | split("@") | last()', 'acme.example'],
    ["split(user.email, '@')[0]", 'ada'],
    ['user.metadata.none ?? user.external_none ?? user.id', ADA],
    ['user?.metadata?.none ?? `a"b`', 'a"b'],
    ['user.metadata["the-level"]', 'gold'],
    ['user.metadata.none ?? 7.5', 7.5],
    ['nil ?? false', false],
    ['len(user.metadata)', 1],
    ['(user.name | upper()) ?? ""', 'ADA BYRNE'],
    ['user.current_membership.organization_name', 'Acme Corp'],
    ['first(user.current_membership.roles)', 'admin'],
    [String.raw`trim(" \"x\"\n")`, '"x"'],
  ])('evaluates %s', async (expression, value) => {
    const { api, control } = await fresh();
    await patchRow(control, 'users', ADA, { metadata: { 'the-level': 'gold' } });

    const { body } = await preview(api, { template: { a: `{{${expression}}}` } }).expect(200);

    expect(body).toMatchObject({ claims: { a: value } });
  });

  it('reads no member that values inherit', async () => {
    const { api } = await fresh();

    const { body } = await preview(api, {
      template: { a: '{{user.constructor.name}}', b: '{{user.__proto__}}' },
    });

    expect(body).toMatchObject({ claims: {}, omitted_keys: ['a', 'b'] });
  });
});

describe('the preview of a token template', () => {
  it('shows the claims and the whole token, and saves nothing', async () => {
    const { api } = await fresh();
    const template = { org: '{{organization.name}}', none: '{{user.metadata.none}}' };

    const { body } = await preview(api, { template }).expect(200);

    expect(body).toMatchObject({
      claims: { org: 'Acme Corp' },
      omitted_keys: ['none'],
      token_preview: { org: 'Acme Corp', sub: ADA, oid: ACME, roles: expect.any(Array) },
    });
    await api.get(PATH).expect(404);
  });

  it('takes the saved template and another organization', async () => {
    const { api } = await fresh();
    await put(api, { org: '{{organization.id}}', status: '{{user.current_membership.status}}' }).expect(200);
    const organization_id = 'org_10000000000000002';

    const { body } = await preview(api, { organization_id }).expect(200);

    expect(body).toMatchObject({ claims: { org: organization_id }, omitted_keys: ['status'] });
    await preview(api, { organization_id: 'org_1' }).expect(404);
    await preview(api, { user_id: 'usr_1' }).expect(404);
  });

  it('reports a value that a function cannot take', async () => {
    const { api } = await fresh();

    const { body } = await preview(api, { template: { a: '{{upper(user.metadata.none)}}' } }).expect(200);

    const message = 'template.a: upper takes a text, not nothing';
    expect(body).toEqual({ omitted_keys: [], error: { code: 'EVALUATION_FAILED', message } });
  });

  it('reports claims that are too large', async () => {
    const { api, control } = await fresh();
    await patchRow(control, 'users', ADA, { metadata: { text: 'x'.repeat(256) } });
    const template = { many: Array.from({ length: 90 }, () => '{{user.metadata.text}}') };

    const { body } = await preview(api, { template }).expect(200);

    expect(body).toEqual({
      omitted_keys: [],
      error: { code: 'EVALUATION_FAILED', message: 'template: its claims have more than 16000 characters' },
    });
  });
});

describe('the context of token templates', () => {
  it('lists paths that can be evaluated, and the claims of tokens', async () => {
    const booted = await boot({ now: NOW });

    const { variables, accesstoken_reserved_claims: reserved } = (
      await booted.api.get(`${PATH}/context`).expect(200)
    ).body;

    const paths = Object.entries(variables).flatMap(([name, all]) =>
      (all as string[]).map((path) => `${name}.${path}`),
    );
    const template = Object.fromEntries(paths.map((path, index) => [`c${index}`, `{{${path}}}`]));
    await put(booted.api, template).expect(200);
    const claims = await verified(booted, (await tokensOf(booted)).access_token);
    expect(Object.keys(reserved)).toEqual(expect.arrayContaining(Object.keys(claims)));
    expect(reserved.sub).toMatchObject({ type: 'string', category: 'standard', source: 'user.id' });
  });

  it('is the same over gRPC, like the template', async () => {
    const { token, understudy } = await fresh();
    const client = grpcTo(await openFor(understudy));
    const call = (name: string, message: object = {}) => {
      const method = METHODS.get(`InterceptorService_${name}`)!;
      const headers = { authorization: `Bearer ${token}` };
      return callRpc(client, method, create(method.input, message as never), headers);
    };

    await call('UpsertTokenTemplate', { template: { a: '{{user.id}}' } });

    expect(await call('GetTokenTemplate')).toMatchObject({ config: { template: { a: '{{user.id}}' } } });
    expect(await call('PreviewTokenTemplate', { userId: ADA })).toMatchObject({ claims: { a: ADA } });
    expect(await call('GetTokenTemplateContext')).toMatchObject({
      variables: { organization: expect.arrayContaining(['id', 'name']) },
    });
  });
});
