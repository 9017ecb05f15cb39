import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { once } from 'node:events';
import { describe, expect, it, onTestFinished } from 'vitest';
import { copyPackage, makeFolder, run, type ProcessOptions } from '../support/process.ts';

/** The start fails with one line on stderr, and nothing on stdout. */
async function complaintOf(args: string[], options: ProcessOptions = {}): Promise<string> {
  const { code, stdout, stderr } = await run(['serve', '--port', '0', '--memory', ...args], options);
  expect({ code, stdout, lines: stderr.split('\n').length }).toEqual({ code: 1, stdout: '', lines: 2 });
  return stderr.trimEnd();
}

/** A fixture file with the members of the empty one and these. */
function fixtureWith(members: object): { cwd: string; fixture: string } {
  const cwd = makeFolder();
  const empty = JSON.parse(readFileSync('fixtures/empty.json', 'utf8'));
  writeFileSync(join(cwd, 'own.json'), JSON.stringify({ ...empty, ...members }));
  return { cwd, fixture: './own.json' };
}

const MEMBERSHIP = {
  id: 'mem_20000000000000001',
  organization_id: 'org_20000000000000001',
  user_id: 'usr_20000000000000001',
  role_ids: [],
  metadata: {},
  resent_count: 0,
  membership_status: 'ACTIVE',
  provisioning_method: 'direct_provision',
};

describe('one clear line and exit 1', () => {
  it.each([
    [['--prot', '80'], "error: unknown option '--prot' (Did you mean --port?)"],
    [
      ['--port', 'eighty'],
      "error: option '--port <number>' argument 'eighty' is invalid. It must be a whole number.",
    ],
    [
      ['--port', '65536'],
      "error: option '--port <number>' argument '65536' is invalid. It must be from 0 to 65535.",
    ],
    [
      ['--seed', '-1'],
      "error: option '--seed <number>' argument '-1' is invalid. It must be a whole number.",
    ],
    [
      ['--base-url', 'localhost:1'],
      "error: option '--base-url <url>' argument 'localhost:1' is invalid. It must be an http or https address.",
    ],
    [
      ['--log-level', 'loud'],
      "error: option '--log-level <level>' argument 'loud' is invalid. Allowed choices are silent, error, warn, info, debug.",
    ],
    [['--fixture'], "error: option '--fixture <name>' argument missing"],
    [['extra'], "error: too many arguments for 'serve'. Expected 0 arguments but got 1."],
    [
      ['--webhook', 'http://localhost:3000/hooks,localhost:3000'],
      'understudy: --webhook: localhost:3000 is not an http or https address, such as http://localhost:3000/webhooks',
    ],
    [['--journal-store'], 'understudy: --journal-store needs --data or --store: --memory stores nothing'],
    [
      ['--webhook-secret', 'hush'],
      'understudy: --webhook-secret: it must be whsec_ and a key in base64, such as whsec_c2VjcmV0IHRoYXQgbm9ib2R5IGtub3dz',
    ],
    [
      ['--webhook-allow', ''],
      "error: option '--webhook-allow <host>' argument '' is invalid. It must name a host.",
    ],
    [
      ['--webhook-allow', 'http://app.example'],
      'understudy: --webhook-allow: http://app.example is not a host: it must be a name (app.example, *.app.example), ' +
        'an address (10.1.2.3, [::1]) or a range (10.0.0.0/8, [fd00::/8]), with or without a port (app.example:8080)',
    ],
    [
      ['--webhook', 'http://app.example:3000/hooks', '--webhook-allow', 'app.example:80'],
      'understudy: --webhook http://app.example:3000/hooks: not called: app.example:3000 does not match --webhook-allow app.example:80',
    ],
  ])('answer the flags %j', async (args, complaint) => {
    expect(await complaintOf(args)).toBe(complaint);
  });

  it('answer a variable that makes no sense, and name it', async () => {
    const { code, stderr } = await run(['serve', '--memory'], { variables: { PORT: 'eighty' } });

    expect(code).toBe(1);
    expect(stderr).toBe(
      "error: option '--port <number>' value 'eighty' from env 'PORT' is invalid. It must be a whole number.\n",
    );
  });

  it.each(['maybe', '2'])('answer a switch that UNDERSTUDY_STRICT sets to %s', async (value) => {
    const { code, stdout, stderr } = await run(['--memory', '--port', '0'], {
      variables: { UNDERSTUDY_STRICT: value },
    });

    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toBe(
      `error: option '--strict' value '${value}' from env 'UNDERSTUDY_STRICT' is invalid. It must be on or off.\n`,
    );
  });

  it('answer a switch to be left out that its variable sets to neither', async () => {
    const { code, stderr } = await run(['serve', '--memory'], { variables: { UNDERSTUDY_REDACT: 'never' } });

    expect(code).toBe(1);
    expect(stderr).toBe(
      "error: option '--no-redact' value 'never' from env 'UNDERSTUDY_REDACT' is invalid. It must be on or off.\n",
    );
  });

  it.each([
    [['sreve'], 'sreve; did you mean serve?'],
    [
      ['xylophone', '--memory'],
      'xylophone; known: serve, config, healthcheck, scenarios, fixtures, types, coverage, report, env, tail, requests, explain, fix, trace, mail, diff, trigger, reset, token, clock, keys, state, idp, snapshot, probe, pull, record, drift, mcp, open, replay, sweep, completion, help',
    ],
  ])('answer the unknown command of %j', async (args, complaint) => {
    const { code, stdout, stderr } = await run(args);

    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toBe(`error: unknown command ${complaint}\n`);
  });

  it('answer a port that is taken', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    onTestFinished(() => void other.close());
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;

    expect(await complaintOf(['--port', String(port)])).toBe(
      `understudy: port ${port} is taken on 127.0.0.1: choose another with --port`,
    );
  });

  it('answer a host that is none', async () => {
    expect(await complaintOf(['--host', 'no.such.host.invalid'])).toMatch(
      /^understudy: cannot listen on no\.such\.host\.invalid:0: getaddrinfo/,
    );
  });

  it('answer a scenario that does not exist, with the nearest name', async () => {
    expect(await complaintOf(['--scenario', 'invite-expird'])).toBe(
      'understudy: scenario invite-expird not found; did you mean invite-expired?',
    );
  });

  it('answer a scenario with a mistake, with its place', async () => {
    const { folder, program } = copyPackage();
    const file = join(folder, 'scenarios', 'wrong.yaml');
    writeFileSync(
      file,
      'name: wrong\nrules:\n  - on: ToolService_ExecuteTol\n    reply: { error: internal }\n',
    );

    expect(await complaintOf(['--scenario', 'wrong'], { program })).toMatch(
      new RegExp(`^understudy: ${file}:3:9: rules\\[0\\]\\.on: .*ToolService_ExecuteTool`),
    );
  });

  it('answer a scenario whose rows are not there', async () => {
    expect(
      await complaintOf(['--fixture', 'empty', '--scenario', 'invite-expired,user_id=usr_10000000000000105']),
    ).toMatch(/^understudy: .*memberships/);
  });

  it('answer a data folder that cannot be one', async () => {
    const cwd = makeFolder();
    writeFileSync(join(cwd, 'state'), '');

    const { code, stdout, stderr } = await run(['serve', '--port', '0', '--data', 'state'], { cwd });

    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(/^understudy: data folder state cannot be made: EEXIST.*\n$/);
  });
});

describe('a fixture is refused with file, path and reason', () => {
  it('when there is none of that name or path', async () => {
    expect(await complaintOf(['--fixture', 'defalt'])).toBe(
      'understudy: fixture defalt: no such name or file; did you mean default?',
    );
  });

  it('when none has a name like it', async () => {
    expect(await complaintOf(['--fixture', 'nope'])).toMatch(
      /^understudy: fixture nope: no such name or file; known: .*default, .*empty, .*sso; name the folder/,
    );
  });

  it('when the file cannot be read', async () => {
    const cwd = makeFolder();
    mkdirSync(join(cwd, 'own.json'));

    expect(await complaintOf(['--fixture', './own.json'], { cwd })).toMatch(
      /^understudy: \.\/own\.json: it is a folder, not a regular file$/,
    );
  });

  it('when the file is not JSON', async () => {
    const cwd = makeFolder();
    writeFileSync(join(cwd, 'own.json'), '{"settings": [}');

    expect(await complaintOf(['--fixture', './own.json'], { cwd })).toMatch(
      /^understudy: \.\/own\.json:1:15: a value must stand here/,
    );
  });

  it('when a row breaks the contract', async () => {
    const organization = {
      id: 'org_20000000000000001',
      region_code: 'US',
      create_time: 'now',
      update_time: 'now',
    };
    const { cwd, fixture } = fixtureWith({
      organizations: [{ ...organization, display_name: 7, metadata: {} }],
    });

    expect(await complaintOf(['--fixture', fixture], { cwd })).toMatch(
      /^understudy: \.\/own\.json:\d+:\d+: organizations\[0\]\.display_name: must be string$/,
    );
  });

  it('when a row names another that does not exist', async () => {
    const users = [{ id: MEMBERSHIP.user_id, email: 'ada@acme.example' }];
    const { cwd, fixture } = fixtureWith({ memberships: [MEMBERSHIP], users });

    expect(await complaintOf(['--fixture', fixture], { cwd })).toMatch(
      /^understudy: \.\/own\.json:\d+:\d+: memberships\[0\]\.organization_id: names org_20000000000000001/,
    );
  });

  it('when a collection is not known, with the nearest name', async () => {
    const { cwd, fixture } = fixtureWith({ organisations: [] });

    expect(await complaintOf(['--fixture', fixture], { cwd })).toEqual(
      expect.stringMatching(
        /^understudy: \.\/own\.json:\d+:\d+: organisations: no such collection; did you mean organizations\?$/,
      ),
    );
  });
});
