import { describe, expect, it } from 'vitest';
import { bootOnce } from '../support/boot.ts';
import type { Target } from '../../src/probes/run.ts';
import { ask } from '../support/probes.ts';

const { same } = bootOnce();

const ORGANIZATION = `
    - call: POST /api/v1/organizations
      body: { display_name: '\${prefix}' }
      keep: { org: organization.id }
      undo: DELETE /api/v1/organizations/\${org}`;

const QUESTION = `
    - call: GET /api/v1/organizations/\${org}
      expect: { status: 200, body: { organization: { display_name: NAME } } }`;

const probeOf = (...steps: string[]) => `- rule: organizations/test\n  steps:${steps.join('')}\n`;

describe('a run of probes', () => {
  it('says that the service does the same, and leaves nothing behind', async () => {
    const booted = await same();

    const verdicts = await ask(booted, probeOf(ORGANIZATION, QUESTION.replace('NAME', "'${prefix}'")));

    expect(verdicts).toEqual([{ rule: 'organizations/test', verdict: 'same', differences: [], left: [] }]);
    expect(await namesIn(booted)).not.toContain('probe-1');
  });

  it('names step, member, wanted and actual value of a difference, and cleans up', async () => {
    const booted = await same();

    const [verdict] = await ask(booted, probeOf(ORGANIZATION, QUESTION.replace('NAME', 'other')));

    expect(verdict).toMatchObject({ verdict: 'different', left: [] });
    expect(verdict!.differences).toEqual([
      expect.stringMatching(
        /^step 2, GET \/api\/v1\/organizations\/org_\d+: expected body\.organization\.display_name "other", was "probe-1"$/,
      ),
    ]);
    expect(await namesIn(booted)).not.toContain('probe-1');
  });

  it('says that a question could not be put if a step before it fails', async () => {
    const booted = await same();
    const broken = `
    - call: POST /api/v1/organizations
      body: {}
      leaves: nothing`;

    const [verdict] = await ask(booted, probeOf(ORGANIZATION, broken, QUESTION));

    expect(verdict).toMatchObject({ verdict: 'not run', differences: [], left: [] });
    expect(verdict!.why).toMatch(/^step 2, POST \/api\/v1\/organizations: answered 400: /);
    expect(await namesIn(booted)).not.toContain('probe-1');
  });

  it('removes what it has made when it is stopped', async () => {
    const booted = await same();
    const stop = new AbortController();
    const fetchAndStop: Target['fetch'] = async (address, init) => {
      const response = await fetch(address, init);
      if (init.method === 'POST' && address.href.endsWith('/organizations')) stop.abort();
      return response;
    };

    const verdicts = await ask(booted, probeOf(ORGANIZATION, QUESTION) + probeOf(ORGANIZATION, QUESTION), {
      signal: stop.signal,
      fetch: fetchAndStop,
    });

    expect(verdicts).toMatchObject([{ verdict: 'not run', why: 'the run was stopped', left: [] }]);
    expect(await namesIn(booted)).not.toContain('probe-1');
  });

  it('makes no more calls than its limit, clean-up excepted', async () => {
    const booted = await same();

    const [verdict] = await ask(booted, probeOf(ORGANIZATION, QUESTION), { limit: 2 });

    expect(verdict).toMatchObject({ verdict: 'not run', why: 'the run may make 2 calls', left: [] });
    expect(await namesIn(booted)).not.toContain('probe-1');
  });

  it('waits as long as a service asks for, and calls again', async () => {
    const booted = await same();
    const waits: number[] = [];
    const calls: string[] = [];
    const throttled: Target['fetch'] = async (address, init) => {
      calls.push(address.href);
      if (calls.length === 2) return new Response('{}', { status: 429, headers: { 'retry-after': '7' } });
      return fetch(address, init);
    };

    const [verdict] = await ask(booted, probeOf(ORGANIZATION, QUESTION.replace('NAME', "'${prefix}'")), {
      fetch: throttled,
      wait: async (milliseconds) => void waits.push(milliseconds),
    });

    expect(verdict).toMatchObject({ verdict: 'same' });
    expect(waits).toEqual([7000]);
  });

  it('tells what it could not remove', async () => {
    const booted = await same();
    const stubborn: Target['fetch'] = async (address, init) =>
      init.method === 'DELETE' ? new Response('', { status: 500 }) : fetch(address, init);

    const [verdict] = await ask(booted, probeOf(ORGANIZATION, QUESTION), { fetch: stubborn });

    expect(verdict!.left).toEqual([
      expect.stringMatching(/^DELETE \/api\/v1\/organizations\/org_\d+ answered 500$/),
    ]);
    const { organizations } = (await booted.api.get('/api/v1/organizations').expect(200)).body;
    const made = organizations.find(
      ({ display_name }: { display_name: string }) => display_name === 'probe-1',
    );
    await booted.api.delete(`/api/v1/organizations/${made.id}`).expect(200);
  });
});

async function namesIn({ api }: { api: Awaited<ReturnType<typeof same>>['api'] }): Promise<string[]> {
  const { body } = await api.get('/api/v1/organizations').expect(200);
  return body.organizations.map((each: { display_name: string }) => each.display_name);
}
