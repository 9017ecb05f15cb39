import { Ajv } from 'ajv';
import { describe, expect, it } from 'vitest';
import { boot } from '../../../../test/support/boot.ts';
import {
  ACCOUNTS,
  NOW,
  catalogue,
  execute,
  heard,
  required,
  sample,
  withAccounts,
  wrong,
} from '../../../../test/support/tools.ts';
import { invalid } from '../../../../test/support/violations.ts';

const EXECUTION = expect.stringMatching(/^exec_\d{17,}$/);

/** How the data break the tool's output schema. */
function complaints(schema: object, data: unknown): unknown[] {
  const check = new Ajv().compile(schema);
  return check(data) ? [] : (check.errors ?? []);
}

/** Returns the responses of all tools, then the accounts, in an environment with these options. */
async function everyAnswer(wanted: object): Promise<string[]> {
  const { environment } = await boot();
  const { api } = await environment('worker-1', wanted);
  await withAccounts(api);
  const answers = [];
  for (const { definition } of catalogue.tools) {
    const params = sample(definition.input_schema);
    const call = { tool_name: definition.name, identifier: 'tester', params };
    answers.push((await execute(api, call).expect(200)).text);
  }
  return [...answers, (await api.get(`${ACCOUNTS}?page_size=99`).expect(200)).text];
}

describe('the tools of the catalogue', () => {
  it('are at least three of each application and start with its name', () => {
    const providers = [...new Set(catalogue.tools.map(({ provider }) => provider))];

    expect(providers).toEqual(
      expect.arrayContaining([
        'GMAIL',
        'SLACK',
        'GITHUB',
        'NOTION',
        'HUBSPOT',
        'SALESFORCE',
        'GOOGLECALENDAR',
        'LINEAR',
        'JIRA',
        'FRESHDESK',
        'EXA',
        'APIFYMCP',
        'GOOGLEDRIVE',
        'GONG',
        'FATHOM',
        'ATTENTION',
        'GITHUBPAT',
        'BIGQUERYSERVICEACCOUNT',
        'GOOGLE_ADS',
      ]),
    );
    for (const provider of providers) {
      const tools = catalogue.tools.filter((tool) => tool.provider === provider);
      expect(tools.length).toBeGreaterThanOrEqual(3);
      for (const { definition } of tools)
        expect(definition.name).toMatch(new RegExp(`^(c-)?${provider.toLowerCase()}_`));
    }
  });

  it('have unique names and ids', () => {
    const names = new Set(catalogue.tools.map(({ definition }) => definition.name));
    const ids = new Set(catalogue.tools.map(({ id }) => id));

    expect([names.size, ids.size]).toEqual([catalogue.tools.length, catalogue.tools.length]);
  });

  it('run with all params and with the required params only', async () => {
    const { api } = await boot({ now: NOW });
    await withAccounts(api);

    for (const { definition } of catalogue.tools) {
      for (const params of [sample(definition.input_schema), required(definition.input_schema)]) {
        const answer = await execute(api, { tool_name: definition.name, identifier: 'tester', params });

        const ran = { data: expect.any(Object), execution_id: EXECUTION };
        expect({ name: definition.name, ...heard(answer) }).toEqual({
          name: definition.name,
          status: 200,
          body: ran,
        });
        expect(Object.keys(answer.body.data)).not.toEqual([]);
        expect(complaints(definition.output_schema, answer.body.data)).toEqual([]);
        expect(JSON.stringify(answer.body.data)).not.toMatch(/\{\{|"\$|GMT|undefined|\[object/);
      }
    }
  });

  it('refuse params of a wrong type and missing params, and ignore unknown params', async () => {
    const { api } = await boot({ now: NOW });
    await withAccounts(api);

    for (const { definition } of catalogue.tools) {
      const { properties = {}, required: names = [] } = definition.input_schema;
      const right = required(definition.input_schema);
      const cases: [params: object, complaint: string][] = [
        ...Object.entries(properties).map(([name, each]): [object, string] => [
          { ...right, [name]: wrong(each) },
          `params.${name} must be ${each.type}`,
        ]),
        ...Object.entries(properties).flatMap(([name, { items }]): [object, string][] =>
          items?.type
            ? [[{ ...right, [name]: [wrong(items)] }, `params.${name}.0 must be ${items.type}`]]
            : [],
        ),
      ];
      for (const name of names) {
        const params = Object.fromEntries(Object.entries(right).filter(([key]) => key !== name));
        const { body } = await execute(api, { tool_name: definition.name, identifier: 'tester', params });
        expect(body).toMatchObject({ code: 3, message: expect.stringContaining(name) });
      }
      const extra = { ...right, extra_param: 1 };
      const loose = await execute(api, { tool_name: definition.name, identifier: 'tester', params: extra });
      expect(loose.headers['understudy-warnings']).toContain('params.extra_param');
      for (const [params, complaint] of cases) {
        const answer = await execute(api, { tool_name: definition.name, identifier: 'tester', params });

        const message = `tool validation failed: ${complaint}`;
        expect({ name: definition.name, ...heard(answer) }).toEqual({
          name: definition.name,
          status: 400,
          body: invalid(message),
        });
      }
    }
  });

  it('answer the same bytes in two simulators with the same seed, clock and calls', async () => {
    const wanted = { seed: 7, clock: { mode: 'frozen', at: NOW } };

    const runs = [];
    for (let i = 0; i < 2; i += 1) runs.push(await everyAnswer(wanted));

    expect(runs[0]).toHaveLength(catalogue.tools.length + 1);
    expect(runs[1]).toEqual(runs[0]);
  });

  it('answer differently with another seed', async () => {
    const clock = { mode: 'frozen', at: NOW };

    const [first, second] = [await everyAnswer({ seed: 7, clock }), await everyAnswer({ seed: 8, clock })];

    expect(second).not.toEqual(first);
  });
});
