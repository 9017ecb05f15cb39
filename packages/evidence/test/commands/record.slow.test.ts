import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { get } from 'node:https';
import { join } from 'node:path';
import { ScalekitClient } from '@scalekit-sdk/node';
import { describe, expect, test } from 'vitest';
import { readRecording } from '../../src/recordings/recording.ts';
import { readShape } from '../../src/recordings/shape.ts';
import { makeFolder, run, serve, start, type Service } from '../../../../test/support/process.ts';

interface Recorder {
  url: string;
  stop(): Promise<{ code: number | null; stderr: string }>;
  kill(): Promise<unknown>;
}

async function record(
  service: Service,
  cwd: string,
  args: string[] = [],
  variables: Record<string, string> = {},
): Promise<Recorder> {
  const command = ['record', '--to', service.url, '--out', 'out', '--port', '0'];
  const program = start([...command, ...args], { cwd, variables });
  const line = await program.line(/^Recording .* at http:\S+$/m);
  const url = /at (\S+)/.exec(line)![1]!;
  return {
    url,
    stop() {
      program.child.kill('SIGTERM');
      return program.exited;
    },
    kill() {
      program.child.kill('SIGKILL');
      return program.exited;
    },
  };
}

test('a recording goes on where it has stopped', async () => {
  const service = await serve();
  const cwd = makeFolder();
  for (const name of ['Acme', 'Nordwind']) {
    const recorder = await record(service, cwd);
    const client = new ScalekitClient(recorder.url, service.client_id, service.client_secret);
    await client.organization.createOrganization(name);
    const { code, stderr } = await recorder.stop();
    expect({ code, stderr }).toEqual({ code: 0, stderr: 'out: 3 exchanges written\n' });
  }

  const folder = join(cwd, 'out');
  const { head, exchanges } = readRecording(folder);
  expect(head).toMatchObject({ service: service.url, understudy: service.version });
  expect(exchanges.map(({ n }) => n)).toEqual([1, 2, 3, 4, 5, 6]);
  const { examples } = readShape(join(folder, 'shape.yaml')).operations[
    'OrganizationService_CreateOrganization'
  ]!['grpc 0']!;
  expect(examples).toBe(2);
  expect(readFileSync(join(folder, 'transcript.jsonl'), 'utf8')).not.toContain(service.client_secret);
});

test('an exchange that is not written makes the command fail, and --allow writes it', async () => {
  const service = await serve();
  const cwd = makeFolder();
  const body = { display_name: 'Acme', metadata: { thing: 'q7Zr0vK3mXw9TyB1nLd4' } };
  const call = async (url: string) => {
    const answer = await fetch(`${url}/api/v1/organizations`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    return answer.status;
  };
  const strict = await record(service, cwd);
  expect(await call(strict.url)).toBe(401);
  const { code, stderr } = await strict.stop();
  expect(code).toBe(1);
  expect(stderr).toBe(
    'exchange 1 (POST /api/v1/organizations, OrganizationService_CreateOrganization) is not written: ' +
      '/request/json/metadata/thing (20 characters) looks like a secret. If it is none, start again with --allow thing\n' +
      'out: 0 exchanges written, 1 exchange not written\n',
  );

  const allowing = await record(service, cwd, ['--allow', 'thing']);
  await call(allowing.url);
  expect((await allowing.stop()).code).toBe(0);
  expect(readRecording(join(cwd, 'out')).exchanges).toMatchObject([{ request: { json: body } }]);
});

test('however a recorder dies, the files are whole', async () => {
  const service = await serve();
  const cwd = makeFolder();
  let written = 0;
  for (let turn = 0; turn < 8; turn += 1) {
    const recorder = await record(service, cwd);
    let answered = 0;
    const calls = Array.from({ length: 40 }, async (_, i) => {
      const answer = await fetch(
        `${recorder.url}/api/v1/organizations/org_${turn}${i}?pad=${'x'.repeat(i * 50)}`,
      );
      await answer.text();
      answered += 1;
      // In the middle of the others.
      if (answered === 5 + turn * 3) await recorder.kill();
    });
    await Promise.allSettled(calls);
    await recorder.kill();

    const { exchanges } = readRecording(join(cwd, 'out'));
    expect(exchanges.length).toBeGreaterThan(written);
    expect(new Set(exchanges.map(({ n }) => n)).size).toBe(exchanges.length);
    for (const { response } of exchanges) expect(response.json ?? response.failed).toBeDefined();
    written = exchanges.length;
    if (existsSync(join(cwd, 'out', 'shape.yaml'))) readShape(join(cwd, 'out', 'shape.yaml'));
  }
  const last = await record(service, cwd);
  await last.stop();
  const { examples } = readShape(join(cwd, 'out', 'shape.yaml')).operations[
    'OrganizationService_GetOrganization'
  ]!['401']!;
  expect(examples).toBe(
    readRecording(join(cwd, 'out')).exchanges.filter(({ response }) => response.failed === undefined).length,
  );
});

test.each([
  [
    ['--to', 'https://acme.example/path'],
    '--to must be the address of an environment, such as https://acme.scalekit.dev',
  ],
  [['--to', 'https://u:p@acme.example'], '--to must be the address of an environment'],
  [['--to', 'acme'], '--to must be the address of an environment'],
  [
    ['--to', 'http://localhost:1', '--webhooks-to', 'app'],
    '--webhooks-to must be an address of your application',
  ],
  [['--to', 'http://localhost:1', '--out', 'other'], 'other: it holds other files, such as mine.txt'],
  [['--to', 'http://localhost:1', '--out', 'other/mine.txt'], 'other/mine.txt: EEXIST'],
])('%j is refused', async (args, message) => {
  const cwd = makeFolder();
  mkdirSync(join(cwd, 'other'));
  writeFileSync(join(cwd, 'other', 'mine.txt'), '');
  const { code, stderr } = await run(['record', '--out', 'out', '--port', '0', ...args], { cwd });
  expect(code).toBe(1);
  expect(stderr).toContain(message);
  expect(stderr.trimEnd().split('\n')).toHaveLength(1);
});

test('a recorder speaks TLS on both sides', async () => {
  const cwd = makeFolder();
  const service = await serve(['--data', 'data'], { cwd });
  const authority = await (await fetch(`${service.url}/_control/v1/ca.pem`)).text();
  writeFileSync(join(cwd, 'ca.pem'), authority);
  const target = service.url.replace('http://127.0.0.1', 'https://localhost');
  const variables = { NODE_EXTRA_CA_CERTS: join(cwd, 'ca.pem') };
  const recorder = await record({ ...service, url: target }, cwd, [], variables);
  const client = new ScalekitClient(recorder.url, service.client_id, service.client_secret);

  await client.organization.createOrganization('Acme');
  const url = new URL(recorder.url.replace('http:', 'https:'));
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    get({ host: 'localhost', port: url.port, path: '/keys', ca: authority }, resolve).on('error', reject);
  });
  answer.resume();

  expect(answer.statusCode).toBe(200);
  await recorder.stop();
  const { head, exchanges } = readRecording(join(cwd, 'out'));
  expect(head.service).toBe(target);
  expect(exchanges.map(({ protocol, response }) => [protocol, response.status])).toEqual([
    ['grpc', 200],
    ['oauth', 200],
    ['grpc', 200],
    ['rest', 200],
  ]);
});

/** Calls the address in the variables, with the variable `DO` as JavaScript in the middle. */
const CALLER = `
  const answer = await fetch(process.env.SCALEKIT_ENVIRONMENT_URL + '/api/v9/things');
  await answer.text();
  console.log(answer.status, process.env.SCALEKIT_ENV_URL === process.env.SCALEKIT_ENVIRONMENT_URL, process.argv[1]);
  eval(process.env.DO ?? '');
`;

const recordWhile = (service: Service, cwd: string, script: string, options: string[] = []) => {
  const command = ['record', '--to', service.url, '--out', 'out', '--port', '0', ...options];
  return start([...command, '--', process.execPath, '--input-type=module', '-e', CALLER, '--', '--port'], {
    cwd,
    variables: { DO: script },
  });
};

describe('a command while which is recorded', () => {
  test('gets the address of the recorder, and everything that it calls is written', async () => {
    const cwd = makeFolder();
    const service = await serve();

    const { code, stdout, stderr } = await recordWhile(service, cwd, '').exited;

    expect({ code, stdout }).toEqual({ code: 0, stdout: '404 true --port\n' });
    expect(stderr).toMatch(/^Recording http:\S+ at http:\S+$/m);
    expect(stderr).toMatch(/out: 1 exchange written\n$/);
    expect(readRecording(join(cwd, 'out')).exchanges).toMatchObject([
      { request: { path: '/api/v9/things' } },
    ]);
    expect(existsSync(join(cwd, 'out', 'shape.yaml'))).toBe(true);
  });

  test.each([
    ['its own code', 'process.exit(7)', 7],
    ['the number of its signal', "process.kill(process.pid, 'SIGKILL')", 137],
  ])('ends the recorder with %s, and the recording is whole', async (_, script, wanted) => {
    const cwd = makeFolder();

    const { code, stderr } = await recordWhile(await serve(), cwd, script).exited;

    expect(code).toBe(wanted);
    expect(stderr).toMatch(/out: 1 exchange written\n$/);
    expect(readShape(join(cwd, 'out', 'shape.yaml')).operations).not.toEqual({});
  });

  test('fails if an exchange is not written, although the command has not failed', async () => {
    const secret =
      "await fetch(process.env.SCALEKIT_ENV_URL + '/x/q7Zr0vK3mXw9TyB1nLd4').then((a) => a.text());";
    const { code, stderr } = await recordWhile(await serve(), makeFolder(), `(async () => { ${secret} })()`)
      .exited;

    expect(code).toBe(1);
    expect(stderr).toMatch(/out: 1 exchange written, 1 exchange not written\n$/);
  });

  test('is stopped with the recorder, and what it calls at its end is recorded', async () => {
    const cwd = makeFolder();
    const program = recordWhile(
      await serve(),
      cwd,
      `setInterval(() => {}, 1000);
       process.once('SIGTERM', async () => {
         await fetch(process.env.SCALEKIT_ENV_URL + '/api/v9/clean-up').then((a) => a.text());
         process.exit(3);
       });
       console.log('waits');`,
    );
    await program.line(/^waits$/m);

    program.child.kill('SIGTERM');

    expect(await program.exited).toMatchObject({ code: 3 });
    const { exchanges } = readRecording(join(cwd, 'out'));
    expect(exchanges.map(({ request }) => request.path)).toEqual(['/api/v9/things', '/api/v9/clean-up']);
  });

  test('that cannot be run is named', async () => {
    const { url } = await serve();
    const command = ['record', '--to', url, '--out', 'out', '--port', '0', '--', 'no-such-program'];

    const { code, stderr } = await run(command, { cwd: makeFolder() });

    expect(code).toBe(1);
    expect(stderr).toContain('understudy: cannot run no-such-program: spawn no-such-program ENOENT\n');
  });
});
