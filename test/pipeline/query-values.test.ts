import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readContract } from '../../src/contract/documents.ts';
import { boot, type Agent } from '../support/boot.ts';
import { refusal } from '../support/violations.ts';

const TRUE = ['1', 't', 'T', 'TRUE', 'true', 'True'];
const FALSE = ['0', 'f', 'F', 'FALSE', 'false', 'False'];
const WANTED = `value must be one of ${[...TRUE, ...FALSE].join(', ')}`;
const TOOLS = '/api/v1/tools?page_size=1&filter.summary';
const ORGANIZATIONS = '/api/v1/organizations?page_size';

const notBoolean = (field: string) => ({ field, description: WANTED, constraint: 'type' });
const notInteger = {
  field: 'page_size',
  description: 'value must be one integer in decimal digits',
  constraint: 'type',
};

const flags = readContract('openapi').operations.flatMap(({ id, method, path, parameters }) =>
  parameters
    .filter(({ in: place, schema }) => place === 'query' && schema.type === 'boolean')
    .map(({ name }) => ({ id, name, method: method.toLowerCase() as keyof Agent, path })),
);

describe('a boolean in a query', () => {
  it.each(TRUE)('is true as %s', async (text) => {
    const { api } = await boot();

    const { body } = await api.get(`${TOOLS}=${text}`).expect(200);

    expect(body.tools).toEqual([]);
  });

  it.each(FALSE)('is false as %s', async (text) => {
    const { api } = await boot();

    const { body } = await api.get(`${TOOLS}=${text}`).expect(200);

    expect(body.tools).toHaveLength(1);
  });

  it.each(['', 'yes', 'tRUE', 'on', '2', '01', 'null'])('is refused as "%s"', async (text) => {
    const { api } = await boot();

    const { body } = await api.get(`${TOOLS}=${text}`).expect(400);

    expect(body).toEqual(refusal(notBoolean('filter.summary')));
  });

  it('has the same texts in every operation', async () => {
    const { api } = await boot();
    const violationsOf = async ({ method, path, name }: (typeof flags)[number], text: string) => {
      const url = `${path.replace(/\{\w+\}/g, 'x')}?${name}=${text}`;
      const { body } = await api[method](url).send(method === 'get' ? undefined : {});
      return body.details?.[0].validation_error_info?.field_violations ?? [];
    };

    for (const flag of flags) {
      expect(await violationsOf(flag, 'maybe'), flag.id).toContainEqual(notBoolean(flag.name));
      for (const text of [...TRUE, ...FALSE])
        expect(await violationsOf(flag, text), flag.id).not.toContainEqual(notBoolean(flag.name));
    }
    expect(flags.length).toBeGreaterThan(10);
  });

  it('sends no invitation when the parameter is False', async () => {
    const { api, control } = await boot();
    const users = '/api/v1/organizations/org_10000000000000001/users';

    await api.post(`${users}?send_invitation_email=False`).send({ email: 'new@acme.example' }).expect(201);

    expect((await control.get('/mail').expect(200)).body.mails).toEqual([]);
  });
});

describe('an integer in a query', () => {
  it('is a decimal number and nothing else', async () => {
    const { api } = await boot();
    const texts = fc.oneof(
      fc.nat(40).map(String),
      fc.constantFrom('', ' 5', '5.0', '1e1', '0x10', '0b1', '5 ', '1_0', '+5', '-0', 'null', 'true'),
      fc.string({ maxLength: 4 }),
    );
    await fc.assert(
      fc.asyncProperty(texts, async (text) => {
        const { body } = await api.get(`${ORGANIZATIONS}=${encodeURIComponent(text)}`);
        const isDecimal = /^[+-]?[0-9]+$/.test(text);
        const isRefused = body.details?.[0].validation_error_info.field_violations[0]?.constraint === 'type';
        expect(isRefused).toBe(!isDecimal);
      }),
      { numRuns: 60 },
    );
  });

  it('names what it refuses', async () => {
    const { api } = await boot();
    const { body } = await api.get(`${ORGANIZATIONS}=0x10`).expect(400);
    expect(body).toEqual(refusal(notInteger));
  });

  it('is given once', async () => {
    const { api } = await boot();
    const { body } = await api.get(`${ORGANIZATIONS}=1&page_size=2`).expect(400);
    expect(body).toEqual(refusal(notInteger));
  });

  it('has at most 32 bits', async () => {
    const { api } = await boot();
    await api.get(`${ORGANIZATIONS}=4294967295`).expect(200);
    await api.get(`${ORGANIZATIONS}=4294967296`).expect(400);
  });
});

describe('a text in a query', () => {
  it('is given once', async () => {
    const { api } = await boot();

    const { body } = await api.get('/api/v1/organizations?external_id=a&external_id=b').expect(400);

    const twice = { field: 'external_id', description: 'value must be given once', constraint: 'type' };
    expect(body).toEqual(refusal(twice));
  });
});

describe('a list in a query', () => {
  it('repeats its name, and a comma belongs to the value', async () => {
    const { api } = await boot();
    const named = async (query: string) => {
      const { body } = await api.get(`/api/v1/tools?filter.summary=true&${query}`).expect(200);
      return body.tool_names as string[];
    };
    const [one, two] = ['filter.tool_name=exa_search', 'filter.tool_name=exa_answer'];

    expect(await named(`${one}&${two}`)).toEqual(['exa_search', 'exa_answer']);
    expect(await named(`${one},exa_answer`)).toEqual([]);
  });
});
