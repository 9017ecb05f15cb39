import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Contract } from '../../src/contract/contract.ts';
import { readContract } from '../../src/contract/documents.ts';
import { PACKAGE_ROOT } from '@understudy/text/files';
import { boot } from '../support/boot.ts';
import { withoutNull } from './json-types.ts';

interface Schema {
  $ref?: string;
  type?: string | string[];
  anyOf?: Schema[];
  enum?: unknown[];
  required?: string[];
  properties?: Record<string, Schema>;
  additionalProperties?: unknown;
  'x-free-json'?: boolean;
}

interface Written {
  operationId: string;
  requestBody?: { required?: boolean; content: Record<string, { schema: Schema }> };
  'x-open'?: boolean;
}

interface Document {
  paths: Record<string, Record<string, Written>>;
  components: { schemas: Record<string, Schema> };
}

/** The request bodies of the JSON operations of a served contract. */
function bodiesOf(name: 'openapi' | 'control') {
  const file = join(PACKAGE_ROOT, 'dist', `${name}.json`);
  const { paths, components } = JSON.parse(readFileSync(file, 'utf8')) as Document;
  const contract = new Contract(readContract(name));
  const resolve = (written: Schema): Schema => {
    const { $ref, ...schema } = withoutNull(written);
    return $ref === undefined
      ? schema
      : { ...resolve(components.schemas[$ref.split('/').at(-1)!]!), ...schema };
  };
  return Object.values(paths)
    .flatMap((item) => Object.values(item))
    .flatMap(({ operationId, requestBody, 'x-open': isOpen }) => {
      const written = isOpen ? undefined : requestBody?.content['application/json']?.schema;
      if (!requestBody || !written) return [];
      const operation = contract.operation(operationId)!;
      const check = (body: unknown) =>
        contract
          .checkRequest(operation, {
            method: operation.method,
            url: '/',
            params: {},
            query: {},
            headers: {},
            mediaType: 'application/json',
            body,
          })
          .violations.map(({ field }) => field.split('.').at(-1)!)
          .filter((field) => !operation.parameters.some((parameter) => parameter.name === field));
      return [{ id: operationId, requestBody, schema: resolve(written), resolve, check }];
    });
}

function isNullable({ $ref, type, anyOf, enum: words }: Schema): boolean {
  if (type !== undefined) return [type].flat().includes('null');
  if (anyOf) return anyOf.some(isNullable);
  return $ref === undefined && words === undefined;
}

describe.each(['openapi', 'control'] as const)('the served contract %s', (name) => {
  const bodies = bodiesOf(name);
  const typed = bodies.filter(({ schema }) => schema.properties && !schema['x-free-json']);

  it('allows null for each optional member and for no required one, as the program does', () => {
    const wrong = typed.flatMap(({ id, schema, check }) =>
      Object.entries(schema.properties!).flatMap(([member, written]) => {
        const isOptional = !schema.required?.includes(member);
        const isTaken = !check({ [member]: null }).includes(member);
        return isNullable(written) === isOptional && (isTaken || !isOptional) ? [] : [`${id}: ${member}`];
      }),
    );

    expect(wrong).toEqual([]);
    expect(typed.length).toBeGreaterThan(5);
  });

  it('requires a body and the members that the program requires', () => {
    const wrong = typed.flatMap(({ id, requestBody, schema, check }) => {
      const missing = check({});
      const undeclared = missing.filter((field) => !schema.required?.includes(field));
      const isWanted = check(undefined).length > 0;
      return [
        ...undeclared.map((field) => `${id}: ${field} is wanted`),
        ...(isWanted && !requestBody.required ? [`${id}: a body is wanted`] : []),
      ];
    });

    expect(wrong).toEqual([]);
  });

  it('allows additional members where the program ignores them', () => {
    const open = new Set(typed.map(({ schema }) => schema.additionalProperties !== false));

    expect([...open]).toEqual([name === 'openapi']);
  });
});

describe('a request to the service', () => {
  it('can contain null for optional members', async () => {
    const { api } = await boot();

    const { body } = await api
      .post('/api/v1/organizations')
      .send({ display_name: 'Acme', external_id: null, metadata: null, unknown: 1 })
      .expect(201);

    expect(body.organization.external_id ?? '').toBe('');
  });
});

describe('the served documents', () => {
  const schemaOf = (operation: unknown) =>
    (operation as Written).requestBody!.content['application/json']!.schema;

  it('leave out the zero value of a resource type, and say what a scope may be', async () => {
    const { api, anonymous } = await boot();
    const { body } = await anonymous.get('/openapi.json').expect(200);
    const { get, post } = body.paths['/api/v1/resources'];
    const written = JSON.stringify(schemaOf(post));
    const name = /#\/components\/schemas\/(\w+)/.exec(written)![1]!;
    const { properties } = body.components.schemas[name];
    const types = ['WEB', 'MOBILE', 'DESKTOP', 'SERVER', 'MCP_SERVER'];

    await api.get('/api/v1/resources?resource_type=RESOURCE_TYPE_UNSPECIFIED').expect(400);

    expect(
      get.parameters.find((each: { name: string }) => each.name === 'resource_type').schema.enum,
    ).toEqual(types);
    expect(properties.resource_type.enum).toEqual(types);
    const expiries = Object.values<Schema>(body.components.schemas).flatMap(
      (schema) => schema.properties?.['expiry']?.anyOf ?? [],
    );
    expect(expiries).toContainEqual({ type: 'integer', minimum: 300 });
    expect(properties.scopes.items.pattern).toBe('^[a-zA-Z0-9:]{1,64}$');
  });

  it('say that a state has settings, a condition has operators, and a scenario has a text', async () => {
    const { control } = await boot();
    const { body } = await control.get('/openapi.json').expect(200);
    const { paths, components } = body;

    await control.put('/state').send({}).expect(400);
    await control.put('/state').send({ organizations: [] }).expect(400);
    await control
      .post('/requests/verify')
      .send({ match: { protocol: {} } })
      .expect(400);
    await control.post('/scenarios/lint').type('application/yaml').send('').expect(400);

    expect(schemaOf(paths['/_control/v1/state'].put).anyOf).toMatchObject([
      { required: ['include'] },
      { required: ['settings'] },
    ]);
    const protocols = Object.values<Schema>(components.schemas).flatMap(
      ({ properties }) => properties?.['protocol'] ?? [],
    );
    expect(protocols).toContainEqual(expect.objectContaining({ minProperties: 1, minLength: 1 }));
    const lint = paths['/_control/v1/scenarios/lint'].post.requestBody.content['application/yaml'];
    expect(lint.schema.minLength).toBe(1);
  });

  it.each([
    ['/api/v1/users/usr_10000000000000101/sessions', '/api/v1/users/{user_id}/sessions', 'filter.status'],
    ['/api/v1/logs/authentication/requests', '/api/v1/logs/authentication/requests', 'status'],
  ])('say which statuses %s takes, in upper and lower case', async (path, template, name) => {
    const { api, anonymous } = await boot();
    const { paths } = (await anonymous.get('/openapi.json').expect(200)).body;
    const { parameters } = paths[template].get;
    const { schema } = parameters.find((each: { name: string }) => each.name === name);
    const isDocumented = new RegExp(schema.items.pattern, 'u');
    const known = name === 'status' ? 'SUCCESS' : 'ACTIVE';
    const values = [known, known.toLowerCase(), 'eXpired', 'Failed', `${known}S`, 'ended', ''];

    for (const value of values) {
      const { status } = await api.get(path).query({ [name]: value });

      expect([value, status]).toEqual([value, isDocumented.test(value) ? 200 : 400]);
    }
    expect(values.filter((value) => isDocumented.test(value))).toHaveLength(3);
  });

  it.each(['post_login_uris', 'post_logout_redirect_uris', 'back_channel_logout_uris', 'initiate_login_uri'])(
    'say which addresses a client may have as %s',
    async (name) => {
      const { api, anonymous } = await boot();
      const { components } = (await anonymous.get('/openapi.json').expect(200)).body;
      const { pattern, items = { pattern } } = components.schemas.CreateClient.properties[name];
      const isDocumented = new RegExp(items.pattern, 'u');
      const isList = name.endsWith('s');
      const good = ['https://app.example.com/callback', 'HTTP://localhost:3000/*'];
      const own = ['com.example.app:/callback', 'https://{organization}.example.com/callback'];
      const bad = ['/callback', 'JavaScript:alert(1)', 'data:text/html,x', 'https://a.example/\nb', '1a:b'];

      for (const address of [...good, ...own, ...bad]) {
        // This one is no URL: only a redirect may be a template.
        if (address.includes('{') && !name.includes('post_log')) continue;
        const client = { name: 'Portal', client_type: 'WEB_APP', [name]: isList ? [address] : address };
        const { status } = await api.post('/api/v1/clients').send(client);

        expect([address, status]).toEqual([address, isDocumented.test(address) ? 200 : 400]);
      }
      expect(good.every((address) => isDocumented.test(address))).toBe(true);
      expect(bad.some((address) => isDocumented.test(address))).toBe(false);
    },
  );

  it('say that an interceptor has the credentials of its type', async () => {
    const { api, anonymous } = await boot();
    const { components } = (await anonymous.get('/openapi.json').expect(200)).body;
    const { anyOf } = components.schemas.InterceptorConfig.properties.auth_config;
    const create = (auth_config: object) =>
      api
        .post('/api/v1/interceptors')
        .send({ display_name: 'Guard', trigger_point: 'PRE_SIGNUP', config: { auth_config } });
    const api_key = { api_key: 'k', header_name: 'x-key' };

    await create({ auth_config_type: 'OAUTH2', oauth2: null }).expect(400);
    await create({ auth_config_type: 'OAUTH2', api_key }).expect(400);
    await create({ auth_config_type: 'API_KEY', api_key: null }).expect(400);
    await create({ auth_config_type: 'API_KEY', api_key, oauth2: null }).expect(200);

    expect(anyOf).toEqual([
      {
        properties: { auth_config_type: { const: 'API_KEY' }, api_key: { type: 'object' } },
        required: ['api_key'],
      },
      {
        properties: { auth_config_type: { const: 'OAUTH2' }, oauth2: { type: 'object' } },
        required: ['oauth2'],
      },
    ]);
    expect(
      new RegExp(components.schemas.CreateInterceptor.properties.api_url.pattern, 'u').test('ftp://a'),
    ).toBe(false);
  });

  it('say that a list of addresses that counts has a range', async () => {
    const { api, anonymous } = await boot();
    const { components } = (await anonymous.get('/openapi.json').expect(200)).body;
    const { anyOf, properties } = components.schemas.IpAllowlistInput;
    const isRange = new RegExp(properties.cidrs.items.properties.value.pattern, 'u');
    const create = (ip_allowlist: object) =>
      api.post('/api/v1/clients').send({ name: 'Portal', client_type: 'WEB_APP', ip_allowlist });

    await create({ opted_in: true }).expect(400);
    await create({ opted_in: false }).expect(200);
    for (const value of ['192.0.2.0/24', '2001:db8::/32', '192.0.2.1', 'localhost', '192.0.2.0/24/8']) {
      const { status } = await create({ opted_in: true, cidrs: [{ value }] });
      expect([value, status]).toEqual([value, isRange.test(value) ? 200 : 400]);
    }

    expect(anyOf).toEqual([
      { properties: { opted_in: { enum: [false, null] } } },
      { required: ['cidrs'], properties: { cidrs: { type: 'array', minItems: 1 } } },
    ]);
  });

  it('say that the tools of an identifier need a filter', async () => {
    const { api, anonymous } = await boot();
    const path = '/api/v1/tools/scoped';
    const { parameters } = (await anonymous.get('/openapi.json').expect(200)).body.paths[path].get;
    const filters = parameters.filter(({ name }: { name?: string }) => name?.startsWith('filter.'));

    const { body } = await api.get(path).query({ identifier: 'default' }).expect(400);

    expect(body.details[0].validation_error_info.field_violations[0].field).toBe('filter');
    expect(filters).toHaveLength(3);
    for (const { name, description } of filters) {
      await api
        .get(path)
        .query({ identifier: 'default', [name]: '' })
        .expect(200);
      expect(description).toContain('Required without another filter');
    }
  });
});
