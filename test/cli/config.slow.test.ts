import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { features } from 'node:process';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { DEFAULTS } from '../../src/start/config.ts';
import { freePort, makeFolder, run, start } from '../support/process.ts';

/** A working folder with these files. */
function folderWith(files: Record<string, string>): string {
  const folder = makeFolder();
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return folder;
}

const YAML = 'understudy.config.yaml';

describe('a config file', () => {
  it('sets what neither a flag nor a variable sets', async () => {
    const port = await freePort();
    const text = `port: ${port}\nmemory: true\nscenario: ["rate-limit-once,retry_after=5"]\n`;
    const cwd = folderWith({ [YAML]: text });
    const started = start(['serve', '--json'], { cwd });
    const { url } = JSON.parse(await started.line(/^\{.*\}$/m)) as { url: string };
    const { loaded } = (await (await fetch(`${url}/_control/v1/scenarios`)).json()) as {
      loaded: { name: string; params: object }[];
    };

    expect(new URL(url).port).toBe(String(port));
    expect(loaded).toMatchObject([{ name: 'rate-limit-once' }]);
    expect(await run(['clock'], { cwd })).toMatchObject({ code: 0, stderr: '' });
  });

  it('may be JSON, with a schema for editors', async () => {
    const text = JSON.stringify({ $schema: './config.schema.json', logLevel: 'warn', redact: false });
    const cwd = folderWith({ 'understudy.config.json': text });
    const { stdout } = await run(['config', '--json'], { cwd });
    const file = 'understudy.config.json';
    expect(JSON.parse(stdout)).toMatchObject({
      logLevel: { value: 'warn', from: expect.stringMatching(`^${file}:1:`) },
      redact: { value: false, from: expect.stringMatching(`^${file}:1:`) },
    });
  });

  it('resolves paths in its own folder', async () => {
    const cwd = makeFolder();
    mkdirSync(join(cwd, 'conf'));
    const fixture = { include: 'empty' };
    writeFileSync(join(cwd, 'conf', 'own.json'), JSON.stringify(fixture));
    const text =
      'data: state\nfixture: own.json\nscenario: [tool-failure, ./own.yaml]\nscenarios: [/srv/scenarios]\n';
    writeFileSync(join(cwd, 'conf', 'ci.yaml'), text);

    const { stdout } = await run(['config', '--json'], {
      cwd,
      variables: { UNDERSTUDY_CONFIG: 'conf/ci.yaml' },
    });

    expect(JSON.parse(stdout)).toMatchObject({
      data: { value: 'conf/state', from: 'conf/ci.yaml:1:1' },
      fixture: { value: 'conf/own.json' },
      scenario: { value: ['tool-failure', 'conf/./own.yaml'] },
      scenarios: { value: ['/srv/scenarios'] },
    });
  });

  it.each([
    ['prot: 9000', '1:1: prot: no such setting; did you mean port?'],
    ['colour: red', '1:1: colour: no such setting; `understudy config --config off` lists all'],
    ['# x\nbase-url: http://x.example', '2:1: base-url: no such setting; did you mean baseUrl?'],
    ['port: 70000', '1:7: port: must be from 0 to 65535'],
    ['port: "80"', '1:7: port: must be a whole number'],
    ['strict: yes', '1:9: strict: must be true or false'],
    ['logLevel: wran', '1:11: logLevel: unknown value wran; did you mean warn?'],
    ['webhook: http://x.example', '1:10: webhook: must be a list of strings'],
    ['tlsHost:\n  - a.example\n  - 1.2', '3:5: tlsHost[1]: must be a string: write "1.2"'],
    [
      'scenario: ["tool-failure,org-full"]',
      '1:12: scenario[0]: must name one scenario; org-full needs an entry of its own',
    ],
    ['environmentTtl: 5x', '1:17: environmentTtl: must be a duration such as 30m, or off'],
    ['environmentTtl: 0', '1:17: environmentTtl: must be a string: write "0"'],
    ['- port', '1:1: must be an object with settings, such as port: 9000'],
  ])('is refused with file, line and column: %s', async (text, message) => {
    const { code, stdout, stderr } = await run(['serve'], { cwd: folderWith({ [YAML]: text }) });
    expect({ code, stdout, stderr }).toEqual({
      code: 1,
      stdout: '',
      stderr: `understudy: ${YAML}:${message}\n`,
    });
  });

  it('has one value in each entry of a list, and may be empty', async () => {
    const text = 'webhook: ["http://a.example/?of=1,2", "http://b.example"]\nfixtures: ["./a,b"]\n';
    const { stdout } = await run(['config', '--json'], { cwd: folderWith({ [YAML]: text }) });

    expect(JSON.parse(stdout)).toMatchObject({
      webhook: { value: [expect.stringMatching('^http://a.example/'), 'http://b.example'] },
      fixtures: { value: ['./a,b'] },
    });
    expect(await run(['config'], { cwd: folderWith({ [YAML]: '# nothing yet\n' }) })).toMatchObject({
      code: 0,
    });
  });

  it('is not read with --config off, and must be the only one', async () => {
    const cwd = folderWith({ [YAML]: 'port: x', 'understudy.config.json': '{}' });
    const two = `both ${YAML} and understudy.config.json are here: keep one, or name it with --config`;
    expect(await run(['serve'], { cwd })).toMatchObject({ code: 1, stderr: `understudy: ${two}\n` });
    expect(await run(['config', '--config', 'off'], { cwd })).toMatchObject({ code: 0 });
    expect(await run(['config', '--config', 'no.yaml'], { cwd })).toMatchObject({
      code: 1,
      stderr: 'understudy: no.yaml: no such file\n',
    });
    expect(await run(['config', '--config', ''], { cwd })).toMatchObject({
      code: 1,
      stderr: 'understudy: --config needs the name of a file, or off\n',
    });
    writeFileSync(join(cwd, 'a.json'), '{\n  "port": 9000\n  "seed": 1\n}');
    expect(await run(['config', '--config', 'a.json'], { cwd })).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^understudy: a\.json:3:3: not valid JSON: Expected ',' or '\}'/),
    });
  });

  it('may be a program; Node that does not read types says so', async () => {
    const types = 'const port: number = 9002;\nexport default { port };\n';
    const script = await run(['config'], {
      cwd: folderWith({ 'understudy.config.mjs': 'export default { port: 9001 };' }),
    });
    const typed = await run(['config'], { cwd: folderWith({ 'understudy.config.ts': types }) });

    expect(script.stdout).toMatch(/^port +9001 +understudy\.config\.mjs$/m);
    if ('typescript' in features && features.typescript)
      expect(typed.stdout).toMatch(/^port +9002 +understudy\.config\.ts$/m);
    else
      expect(typed.stderr).toMatch(
        /^understudy: understudy\.config\.ts: Node \S+ does not read TypeScript: use Node 22\.18 or later/,
      );
  });

  it('does not turn on what a variable turns off', async () => {
    const cwd = folderWith({ [YAML]: 'memory: true\nstrict: true\nredact: false\n' });
    const variables = { UNDERSTUDY_MEMORY: '0', UNDERSTUDY_STRICT: 'off', UNDERSTUDY_REDACT: 'on' };
    const { stdout } = await run(['config'], { cwd, variables });

    expect(stdout).toMatch(/^memory +false +UNDERSTUDY_MEMORY$/m);
    expect(stdout).toMatch(/^strict +false +UNDERSTUDY_STRICT$/m);
    expect(stdout).toMatch(/^redact +true +UNDERSTUDY_REDACT$/m);
  });

  it('may leave members undefined, and must not be a promise', async () => {
    const folderOf = (text: string) => folderWith({ 'understudy.config.mjs': text });
    const absent = folderOf('export default { port: undefined, seed: 7 };');
    const promise = folderOf('export default Promise.resolve({ port: 1 });');

    expect((await run(['config'], { cwd: absent })).stdout).toMatch(/^seed +7 +understudy/m);
    expect(await run(['config'], { cwd: promise })).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('not a promise'),
    });
  });

  it('with mistakes leaves other commands alone', async () => {
    const cwd = folderWith({ [YAML]: 'prot: 1\n' });
    const reset = await run(['reset'], { cwd });

    expect(await run(['tail', '--help'], { cwd })).toMatchObject({ code: 0, stderr: '' });
    expect(reset.stderr).toMatch(/^warning: the port of the config file is not used: .*prot/);
    expect((await run(['resett'], { cwd })).stderr).toContain('unknown command resett');
  });

  it('does not change a service that a test starts', async () => {
    const cwd = folderWith({ [YAML]: 'port: x' });
    const testing = JSON.stringify(join(import.meta.dirname, '..', '..', 'dist', 'testing.js'));
    writeFileSync(
      join(cwd, 'own.mjs'),
      `import { startUnderstudy } from ${testing};\nconst sim = await startUnderstudy({ mode: 'child-process' });\nawait sim.stop();\nconsole.log('stopped');`,
    );
    const { stdout } = await run([], { cwd, program: join(cwd, 'own.mjs') });
    expect(stdout).toBe('stopped\n');
  });
});

describe('understudy config', () => {
  it('shows each setting and where it comes from, without secrets', async () => {
    const cwd = folderWith({
      [YAML]: 'strict: true\nwebhookSecret: whsec_bm90IGZvciB5b3VyIGV5ZXM=\nhost: "::"\nport: 8\n',
    });
    const variables = {
      UNDERSTUDY_HOST: '0.0.0.0',
      UNDERSTUDY_STORE: 'postgres://u:hunter3@db/x',
      UNDERSTUDY_WEBHOOK: 'https://u:hunter3@app.example/h?token=hunter3',
    };
    const { code, stdout } = await run(['config', '--port', '9'], { cwd, variables });

    const rows = stdout
      .trim()
      .split('\n')
      .map((line) => line.split(/ {2,}/));
    expect(code).toBe(0);
    expect(rows[0]).toEqual(['setting', 'value', 'from']);
    expect(rows).toContainEqual(['port', '9', '--port']);
    expect(rows).toContainEqual(['host', '0.0.0.0', 'UNDERSTUDY_HOST']);
    expect(rows).toContainEqual(['strict', 'true', `${YAML}:1:1`]);
    expect(rows).toContainEqual(['webhookSecret', '[redacted]', `${YAML}:2:1`]);
    expect(rows).toContainEqual(['fixture', 'default', 'default']);
    expect(stdout).toMatch(/^store +postgres:.*db/m);
    expect(stdout).toMatch(/^webhook +https:..app.example.h .redacted/m);
    expect(stdout).not.toContain('hunter3');
  });

  it('names the settings that the published schema and types have', async () => {
    const schema = JSON.parse(readFileSync('dist/config.schema.json', 'utf8')) as { properties: object };
    const { stdout } = await run(['config', '--json']);
    const keys = Object.keys(JSON.parse(stdout) as object).toSorted();
    const types = readFileSync('dist/config.d.ts', 'utf8');

    expect(Object.keys(schema.properties).filter((key) => key !== '$schema')).toEqual(keys);
    expect(keys.filter((key) => !types.includes(`  ${key}?: `))).toEqual([]);
    const isValid = new Ajv().compile(schema);
    expect([isValid({ port: DEFAULTS.port, webhook: ['http://x.example'] }), isValid({ prot: 1 })]).toEqual([
      true,
      false,
    ]);
    expect(ts.transpileModule(types, { reportDiagnostics: true }).diagnostics).toEqual([]);
  });
});
