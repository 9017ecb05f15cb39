import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bootOnce, type Agent } from '../../../../test/support/boot.ts';
import { turnTimes } from '../../../../test/support/longest-turn.ts';
import { catalogue, execute, NOW } from '../../../../test/support/tools.ts';

const { fresh, same } = bootOnce();

const put = (control: Agent, response: unknown, id = 'tol_20000000000000999') =>
  control.put(`/state/tools/${id}`).send({
    provider: 'GMAIL',
    definition: { name: 'gmail_own', description: '', input_schema: {} },
    tags: [],
    updated_at: NOW,
    response,
  });

const run = (api: Agent, params: object = {}) =>
  execute(api, { tool_name: 'gmail_own', identifier: 'default', params });

describe('a placeholder of a template', () => {
  it.each([
    [
      'date.betweens({"from":"2020-01-01","to":"2030-01-01","count":100000000})',
      'is none of the allowed placeholders',
    ],
    ['seed(1)', 'is none of the allowed placeholders'],
    ['helpers.multiple(["a"],{"count":1e8})', 'is none of the allowed placeholders'],
    ['helpers.fromRegExp("[a-z]{9e7}")', 'is none of the allowed placeholders'],
    ['constructor.constructor("return 1")', 'is none of the allowed placeholders'],
    ['string.constructor', 'is none of the allowed placeholders'],
    ['string.alphanumerc(5)', 'did you mean string.alphanumeric?'],
    ['string.alphanumeric(3e7)', 'must have as its argument a whole number from 0 to 1000'],
    ['string.alpha({"length":{"min":1,"max":1e9}})', 'must have as length a whole number from 0 to 1000'],
    ['string.alpha(0x10)', 'has arguments that are not JSON'],
    ['commerce.price({"dec":1e8})', 'must have as dec a whole number from 0 to 15'],
    ['commerce.price({"decimals":1})', 'has no argument decimals'],
    ['number.int({"max":1e300})', 'must have as max a number'],
    ['date.past({"years":1e9})', 'must have as years a whole number from 0 to 1000'],
    ['date.between({"from":"x","to":"y"})', 'must have as from a time'],
    ['location.zipCode([1])', 'must have as its argument a text'],
    ['location.countryCode("zz")', 'must have as its argument one of alpha-2, alpha-3, numeric'],
    ['string.alpha({"casing":"zz"})', 'must have as casing one of upper, lower, mixed'],
    ['person.firstName("zz")', 'must have as its argument one of female, male, generic'],
    ['lorem.paragraphs(1, "x")', 'has more than one argument'],
    ['hacker.phrase(1)', 'must have no such argument'],
  ])('is refused where the row is stored: %s', async (placeholder, reason) => {
    const { control } = await fresh();

    const { body } = await put(control, { deep: [{ a: `{{${placeholder}}}` }] }).expect(400);

    expect(body.message).toMatch(/^tools tol_20000000000000999: response: \{\{/);
    expect(body.message).toContain(reason);
    await control.get('/state/tools/tol_20000000000000999').expect(404);
  });

  it.each([
    [
      'a row of proxy_responses',
      'proxy_responses/prx_1',
      { path: '/*', status: 200, body: ['{{seed(1)}}'] },
      'body',
    ],
    [
      'an answer of a tool',
      'tools/tol_1',
      {
        provider: 'GMAIL',
        tags: [],
        updated_at: NOW,
        definition: { name: 'x', description: '', input_schema: {} },
        answers: [{ when: {}, response: '{{seed(1)}}' }],
      },
      'answers',
    ],
  ])('is refused in %s', async (_, path, row, member) => {
    const { control } = await fresh();

    const { body } = await control.put(`/state/${path}`).send(row).expect(400);

    expect(body.message).toContain(`${member}: {{seed(1)}} is none of the allowed placeholders`);
  });

  it('is refused in the records of a provider', async () => {
    const { control } = await fresh();
    const records = { note: { key: 'id', of: { id: '{{seed(1)}}' } } };

    const { body } = await control.patch('/state/providers/GMAIL').send({ records }).expect(400);

    expect(body.message).toContain('records: {{seed(1)}} is none of the allowed placeholders');
  });

  it.each([[[10, 1]], [['a']], [[1.5, 2]], [[0, 1e300]]])('$int refuses the range %j', async (range) => {
    const { control } = await fresh();

    const { body } = await put(control, { a: { $int: range } }).expect(400);

    expect(body.message).toContain('must have a list of two whole numbers, the smaller one first');
  });

  it.each([
    ['string.alphanumeric(20)', /^\w{20}$/],
    ['string.numeric({"length":5,"allowLeadingZeros":false})', /^[1-9]\d{4}$/],
    ['number.int({"min":5,"max":7})', /^[567]$/],
    ['number.float({"min":1,"max":2,"fractionDigits":2})', /^[12](\.\d\d?)?$/],
    ['commerce.price({"min":1,"max":9,"dec":2,"symbol":"$"})', /^\$\d\.\d\d$/],
    ['date.between({"from":"2020-01-01","to":"2020-12-31"})', /^2020-/],
    ['date.past({"years":2})', /^20\d\d-.*Z$/],
    ['location.countryCode("alpha-3")', /^[A-Z]{3}$/],
    ['location.countryCode("numeric")', /^\d{3}$/],
    ['person.firstName("female")', /^\p{L}+$/u],
    ['string.alpha({"length":4,"casing":"upper"})', /^[A-Z]{4}$/],
    ['lorem.words(3)', /^\w+ \w+ \w+$/],
    ['helpers.arrayElement(["a","b"])', /^[ab]$/],
    ['internet.exampleEmail({"firstName":"Ada"})', /@example\./],
  ])('makes a value: %s', async (placeholder, value) => {
    const { api, control } = await fresh();
    await put(control, { a: `{{${placeholder}}}` }).expect(200);

    const { body } = await run(api).expect(200);

    expect(body.data.a).toMatch(value);
  });

  describe('that is repeated 8000 times', () => {
    it.each([
      'string.alphanumeric({"length":1000,"casing":"mixed"})',
      'string.nanoid(1000)',
      'string.sample({"min":0,"max":1000})',
      'internet.password({"length":1000})',
      `internet.exampleEmail({"firstName":"${'中'.repeat(200)}"})`,
      'word.words(1000)',
      'lorem.lines(1000)',
      'lorem.paragraphs(1000)',
      'lorem.slug(1000)',
      'finance.pin(1000)',
      'finance.transactionDescription',
      'system.fileName({"extensionCount":15})',
      'internet.userAgent',
    ])('is refused in limited time: %s', async (placeholder) => {
      const { api, control } = await fresh();
      const response = { a: { $repeat: 100, of: { $repeat: 80, of: `{{${placeholder}}}` } } };
      await put(control, response).expect(200);

      const refused = await run(api);

      expect(refused.status).toBe(400);
      expect(refused.body.message).toMatch(
        /^the template of the reply: the placeholders take more than 200000 steps; \{\{.* takes \d+ each time$/,
      );
    });
  });

  it('may stand in a list of a hundred records', async () => {
    const { api, control } = await fresh();
    const record = { id: '{{string.uuid}}', name: '{{person.fullName}}', text: '{{lorem.paragraph}}' };
    await put(control, { a: { $repeat: 100, of: record } }).expect(200);

    const { body } = await run(api).expect(200);

    expect(body.data.a).toHaveLength(100);
  });

  describe('that takes long', () => {
    const message = { id: '{{string.uuid}}', at: { $int: [1, 9999] }, text: '{{lorem.paragraphs(10)}}' };
    const inserted = { $insert: 'message', with: message, member: 'id' };
    const response = { a: { $repeat: 50, of: { $repeat: 5, of: inserted } }, b: { $bool: true } };

    it('is filled in turns with other calls', async () => {
      const booted = await fresh();
      const text = '{{lorem.paragraphs(10)}}';
      await put(booted.control, { a: { $repeat: 100, of: { $repeat: 9, of: text } } }).expect(200);
      await run(booted.api).expect(200);

      const { longest, all } = await turnTimes(() => run(booted.api).expect(200));

      expect(longest).toBeLessThan(all / 2);
    });

    it('gives the answer and the rows that it gives without other calls', async () => {
      const { api, control, own } = await fresh();
      await control.put('/clock').send({ mode: 'frozen' }).expect(200);
      await put(control, response).expect(200);
      await control.post('/snapshots').send({ name: 'before' }).expect(201);
      const { body: alone } = await run(api).expect(200);
      const rows = own.tables.account_records.list();
      await control.post('/snapshots/before/restore').expect(204);

      const [{ body: beside }] = await Promise.all([
        run(api).expect(200),
        ...Array.from({ length: 20 }, () => api.get('/api/v1/organizations').expect(200)),
      ]);

      expect(alone.data.a.flat()).toHaveLength(250);
      expect(beside).toEqual(alone);
      expect(own.tables.account_records.list()).toEqual(rows);
    });

    it('gives each placeholder a text of its own, although others add records that the template counts', async () => {
      const { api, control } = await fresh();
      const digits = { $repeat: { $length: { $list: 'message' } }, of: '{{string.numeric(3)}}' };
      const texts = { $repeat: 100, of: { $repeat: 3, of: '{{lorem.paragraphs(10)}}' } };
      await put(control, { digits, texts }).expect(200);
      const params = { to: 'a@example.com', subject: 'x', body: 'x' };
      const call = { tool_name: 'gmail_send_email', identifier: 'default', connector: 'gmail', params };

      const [{ body }] = await Promise.all([
        run(api).expect(200),
        ...Array.from({ length: 10 }, () => execute(api, call).expect(200)),
      ]);

      expect(body.data.digits.every((text: string) => /^\d{3}$/.test(text))).toBe(true);
      expect(body.data.texts.flat().every((text: string) => /^[^\d]{100}/.test(text))).toBe(true);
    });
  });

  it('that cannot be filled fails with the reason when the tool runs', async () => {
    const { api, control } = await fresh();
    await put(control, { a: '{{number.int({"min":9,"max":1})}}' }).expect(200);

    const { body } = await run(api).expect(400);

    expect(body.message).toMatch(
      /^the template of the reply: \{\{number\.int.* cannot be filled: Max 1 should be/,
    );
  });

  it('is refused when the tool runs if the whole state was replaced', async () => {
    const { api, control } = await fresh();
    const state = (await control.get('/state').expect(200)).body;
    await put(control, {}).expect(200);
    const tools = (await control.get('/state/tools').expect(200)).body.rows.map((row: { id: string }) =>
      row.id === 'tol_20000000000000999' ? { ...row, response: '{{seed(1)}}' } : row,
    );
    await control.put('/state').send({ ...state, tools });

    const { status, body } = await run(api);

    expect([status, body.message]).toEqual([
      400,
      expect.stringContaining('{{seed(1)}} is none of the allowed'),
    ]);
  });

  it('never fails with 500, whatever it says', async () => {
    const { api, control } = await fresh();
    const module = fc.constantFrom(
      'string',
      'number',
      'date',
      'commerce',
      'location',
      'helpers',
      'internet',
      'lorem',
    );
    const name = fc.constantFrom(
      'int',
      'float',
      'past',
      'between',
      'price',
      'alpha',
      'zipCode',
      'words',
      'password',
    );
    const args = fc.option(
      fc.jsonValue({ maxDepth: 1 }).map((value) => `(${JSON.stringify(value)})`),
      { nil: '' },
    );

    await fc.assert(
      fc.asyncProperty(module, name, args, async (one, other, written) => {
        const stored = await put(control, { a: `{{${one}.${other}${written}}}` });
        const { status } = stored.status === 200 ? await run(api) : stored;

        expect([200, 400]).toContain(status);
      }),
      { numRuns: 60 },
    );
  });

  it('of the shipped tools is allowed', async () => {
    const { control } = await same();

    const [tool] = catalogue.tools;
    await control.put(`/state/tools/${tool!.id}`).send(tool).expect(200);
    for (const each of catalogue.tools) await control.put(`/state/tools/${each.id}`).send(each).expect(200);
  });
});
