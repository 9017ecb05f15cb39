import { describe, expect, it } from 'vitest';
import { bootOnce } from '../../../../test/support/boot.ts';
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

  it('shows no rows of a list that is not as expected', async () => {
    const booted = await same();
    const listed = `
    - call: GET /api/v1/organizations
      expect: { body: { organizations: { contains: { id: org_1 } } } }`;

    const [verdict] = await ask(booted, probeOf(listed));

    expect(verdict!.differences).toEqual([
      expect.stringMatching(/ \{"contains":\{"id":"org_1"\}\}, was a list of \d+$/),
    ]);
  });

  it('says that a question could not be put if what it needs is not so', async () => {
    const booted = await same();
    const needing = (name: string) =>
      probeOf(
        ORGANIZATION,
        QUESTION.replace(
          'expect',
          `needs: { body: { organization: { display_name: ${name} } } }\n      expect`,
        ),
      ).replace('NAME', "'${prefix}'");

    const [met] = await ask(booted, needing("'${prefix}'"));
    const [unmet] = await ask(booted, needing('other'));

    expect(met).toMatchObject({ verdict: 'same' });
    expect(unmet).toMatchObject({ verdict: 'not run', left: [] });
    expect(unmet!.why).toMatch(/^step 2, GET .*: expected body\.organization\.display_name "other", was "/);
  });

  it('asks again until the answer is as expected, as long as the step says', async () => {
    const booted = await same();
    let reads = 0;
    const slow: Target['fetch'] = async (address, init) => {
      if (init.method === 'GET' && (reads += 1) < 3) return new Response('{}', { status: 404 });
      return fetch(address, init);
    };
    const within = (seconds: number) =>
      probeOf(ORGANIZATION, `${QUESTION.replace('NAME', "'${prefix}'")}\n      within: ${seconds}`);

    const [enough] = await ask(booted, within(2), { fetch: slow });
    reads = 0;
    const [short] = await ask(booted, within(1), { fetch: slow });

    expect(enough).toMatchObject({ verdict: 'same' });
    expect(short).toMatchObject({ verdict: 'different' });
  });

  it('keeps a value of the element of a list that has a wanted member', async () => {
    const booted = await same();
    const listed = `
    - call: GET /api/v1/organizations
      keep: { found: 'organizations.display_name=\${prefix}.id' }
    - call: GET /api/v1/organizations/\${found}
      expect: { body: { organization: { id: '\${org}' } } }`;

    const [verdict] = await ask(booted, probeOf(ORGANIZATION, listed));

    expect(verdict).toMatchObject({ verdict: 'same' });
  });

  it('compares times of an answer with the clock of the service', async () => {
    const booted = await same();
    await booted.control.put('/clock').send({ mode: 'offset', offset: '10m' }).expect(200);
    const link = (wanted: string) => `
    - call: PUT /api/v1/organizations/\${org}/portal_links
      leaves: nothing
      expect: { lifetimes: { ${wanted} } }`;

    const verdicts = await ask(
      booted,
      ['link.expire_time: 1m', 'link.expire_time: 2m', 'link.id: 1m']
        .map((wanted) => probeOf(ORGANIZATION, link(wanted)))
        .join(''),
    );

    expect(verdicts.map(({ verdict, differences }) => [verdict, ...differences])).toEqual([
      ['same'],
      [
        'different',
        expect.stringMatching(/: expected link\.expire_time 2m after the answer, was \d+ seconds after it$/),
      ],
      ['different', expect.stringMatching(/: expected link\.id 1m after the answer, was "lnk_\d+"$/)],
    ]);
  });

  it('follows an address of an answer with its cookies, and only to the service', async () => {
    const booted = await same();
    const began = `
    - call: GET /oauth/authorize
      token: none
      query: { client_id: '\${client_id}', response_type: code, scope: openid, state: x, redirect_uri: 'http://localhost:3000/callback' }
      keep: { page: headers.location, browser: headers.cookies }
    - call: GET \${page}
      token: none
      headers: { cookie: '\${browser}' }
      expect: { status: 200 }`;
    const seen: string[] = [];
    const spying: Target['fetch'] = (address, init) => {
      seen.push(address.href);
      return fetch(address, init);
    };

    const [followed] = await ask(booted, probeOf(began));
    const elsewhere = began.replaceAll('page', 'other').replace('headers.location', 'headers.elsewhere');
    const [refused] = await ask(booted, probeOf(elsewhere), {
      fetch: async (address, init) => {
        const response = await spying(address, init);
        const headers = { elsewhere: 'https://other.example/x', 'set-cookie': 'a=b; Path=/' };
        return address.pathname === '/oauth/authorize' ? new Response('', { headers }) : response;
      },
    });

    expect(followed).toEqual({ rule: 'organizations/test', verdict: 'same', differences: [], left: [] });
    expect(refused).toMatchObject({
      verdict: 'not run',
      why: 'https://other.example/x is no address of the service',
    });
    expect(seen.filter((address) => address.includes('other.example'))).toEqual([]);
  });

  it('removes what it has made with a call that has a body', async () => {
    const booted = await same();
    const token = `
    - call: POST /api/v1/tokens
      body: { organization_id: org_10000000000000003 }
      keep: { made: token_id }
      undo: { call: 'POST /api/v1/tokens:invalidate', body: { token: '\${made}' } }
    - call: POST /api/v1/tokens:validate
      body: { token: '\${made}' }
      leaves: nothing
      expect: { status: 200 }`;

    const [verdict] = await ask(booted, probeOf(token));

    expect(verdict).toMatchObject({ verdict: 'same', left: [] });
    const { body } = await booted.api.get('/api/v1/tokens?organization_id=org_10000000000000003').expect(200);
    expect(body.tokens).toEqual([]);
  });

  it('keeps nothing of an answer that fails as expected', async () => {
    const booted = await same();
    const refused = `
    - call: POST /api/v1/organizations
      body: {}
      keep: { org: organization.id }
      undo: DELETE /api/v1/organizations/\${org}
      expect: { status: 400 }`;

    expect(await ask(booted, probeOf(refused))).toMatchObject([{ verdict: 'same', left: [] }]);
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

  it('removes what it has made when it is stopped and its token has expired', async () => {
    const booted = await same();
    const stop = new AbortController();
    let isExpired = false;
    const expiring: Target['fetch'] = async (address, init) => {
      if (address.pathname === '/oauth/token') isExpired = false;
      if (isExpired) return new Response('{}', { status: 401 });
      const response = await fetch(address, init);
      if (init.method === 'POST' && address.pathname.endsWith('/organizations')) {
        isExpired = true;
        stop.abort();
      }
      return response;
    };

    const verdicts = await ask(booted, probeOf(ORGANIZATION, QUESTION), {
      signal: stop.signal,
      fetch: expiring,
    });

    expect(verdicts).toMatchObject([{ verdict: 'not run', why: 'the run was stopped', left: [] }]);
    expect(await namesIn(booted)).not.toContain('probe-1');
  });

  it('looks for what it has made, when it is stopped before the step that finds it', async () => {
    const booted = await same();
    const stop = new AbortController();
    const found = `
    - call: GET /api/v1/organizations
      keep: { found: 'organizations.display_name=\${prefix}.id' }
      undo: DELETE /api/v1/organizations/\${found}`;
    const unnamed = ORGANIZATION.replace(/keep[^]*/, 'leaves: nothing');
    const fetchAndStop: Target['fetch'] = async (address, init) => {
      const response = await fetch(address, init);
      if (init.method === 'POST' && address.pathname.endsWith('/organizations')) stop.abort();
      return response;
    };

    const verdicts = await ask(booted, probeOf(unnamed, found, QUESTION.replace('${org}', '${found}')), {
      signal: stop.signal,
      fetch: fetchAndStop,
    });

    expect(verdicts).toMatchObject([{ verdict: 'not run', why: 'the run was stopped', left: [] }]);
    expect(await namesIn(booted)).not.toContain('probe-1');
  });

  it('does not wait any longer when it is stopped, and cleans up', async () => {
    const booted = await same();
    const stop = new AbortController();
    const throttled: Target['fetch'] = async (address, init) => {
      if (init.method !== 'GET') return fetch(address, init);
      setImmediate(() => stop.abort());
      return new Response('{}', { status: 429, headers: { 'retry-after': '60' } });
    };

    const prepared = '\n    - call: GET /api/v1/organizations/${org}';
    const verdicts = await ask(booted, probeOf(ORGANIZATION, prepared, QUESTION), {
      signal: stop.signal,
      fetch: throttled,
      wait: () => new Promise(() => {}),
    });

    expect(verdicts).toMatchObject([{ verdict: 'not run', why: 'the run was stopped', left: [] }]);
    expect(await namesIn(booted)).not.toContain('probe-1');
  });

  it('tells of what may have been made by a call without an answer, and removes it where the probe names it', async () => {
    const booted = await same();
    const role = `
    - call: POST /api/v1/roles
      body: { name: 'probe_\${run}_lost', display_name: '\${prefix}' }
      undo: DELETE /api/v1/roles/probe_\${run}_lost`;
    const broken: Target['fetch'] = async (address, init) => {
      const response = await fetch(address, init);
      if (init.method === 'POST' && address.pathname.startsWith('/api/'))
        throw new TypeError('fetch failed', { cause: new Error('socket hang up') });
      return response;
    };
    const failing: Target['fetch'] = async (address, init) => {
      const response = await fetch(address, init);
      return init.method === 'POST' && address.pathname.startsWith('/api/')
        ? new Response('{}', { status: 504 })
        : response;
    };

    const lost = await ask(
      booted,
      probeOf(ORGANIZATION, QUESTION) + probeOf(role, QUESTION.replace('${org}', 'x')),
      {
        fetch: broken,
      },
    );
    const failed = await ask(booted, probeOf(ORGANIZATION, QUESTION), { fetch: failing });

    const told = 'it may have made something; its name has 1';
    expect(lost.map(({ verdict, left }) => [verdict, left])).toEqual([
      ['not run', [`POST /api/v1/organizations had no answer: socket hang up: ${told}`]],
      ['not run', []],
    ]);
    expect(failed[0]!.left).toEqual([`POST /api/v1/organizations answered 504: ${told}`]);
    await booted.api.get('/api/v1/roles/probe_1_lost').expect(404);
    const { organizations } = (await booted.api.get('/api/v1/organizations').expect(200)).body;
    for (const { id, display_name } of organizations as Record<string, string>[])
      if (display_name === 'probe-1') await booted.api.delete(`/api/v1/organizations/${id}`).expect(200);
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
