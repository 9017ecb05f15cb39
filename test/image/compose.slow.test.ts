import { execFileSync, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';

// Only where somebody has built the image: `docker build -t understudy .`
const hasImage = spawnSync('docker', ['image', 'inspect', 'understudy']).status === 0;
const hasCompose = hasImage && spawnSync('docker', ['compose', 'version']).status === 0;

const docker = (...args: string[]) => execFileSync('docker', args, { encoding: 'utf8' }).trim();

/** Asks Docker until the answer matches. */
async function until(matches: RegExp, ask: () => string | Promise<string>): Promise<string> {
  return await expect.poll(ask, { timeout: 300_000, interval: 200 }).toMatch(matches).then(ask);
}

describe.skipIf(!hasImage)('the image', () => {
  it('is healthy without root, capabilities and a writable file system, and stops by itself', async () => {
    const name = `understudy-${randomUUID()}`;
    onTestFinished(() => void spawnSync('docker', ['rm', '--force', '--volumes', name]));
    const hardened = ['--read-only', '--cap-drop', 'ALL', '--security-opt', 'no-new-privileges'];
    docker('run', '--detach', '--name', name, ...hardened, 'understudy', 'serve', '--port', '9000');

    await until(/^healthy$/, () => docker('inspect', '--format', '{{.State.Health.Status}}', name));

    expect(docker('exec', name, 'id', '-u')).toBe('1000');
    docker('stop', name);
    expect(docker('inspect', '--format', '{{.State.ExitCode}}', name)).toBe('0');
  });

  it('has labels and the licences of everything in it', () => {
    const labels = JSON.parse(
      docker('image', 'inspect', '--format', '{{json .Config.Labels}}', 'understudy'),
    ) as object;
    const list = docker(
      'run',
      '--rm',
      '--entrypoint',
      'ls',
      'understudy',
      'LICENSE',
      'dist/THIRD-PARTY-NOTICES.txt',
    );

    expect(labels).toMatchObject({
      'org.opencontainers.image.title': 'understudy',
      'org.opencontainers.image.licenses': 'Apache-2.0',
    });
    expect(list.split('\n')).toEqual(['LICENSE', 'dist/THIRD-PARTY-NOTICES.txt']);
  });
});

describe.skipIf(!hasCompose)('the example for Docker Compose', () => {
  it('starts the application when Understudy is ready, and delivers webhooks', async () => {
    const project = `understudy-${randomUUID()}`;
    const compose = (...args: string[]) =>
      docker('compose', '--file', 'examples/compose/compose.yaml', '--project-name', project, ...args);
    onTestFinished(() => void compose('down', '--volumes'));
    compose('up', '--detach');
    const app = (method: string) =>
      fetch('http://localhost:3000', { method }).then((answer) => answer.text());

    await until(/Quarry Works/, () => app('GET').catch(String));
    expect(await app('POST')).toBe('Globex\n');

    await until(/organization\.created Globex/, () => compose('logs', 'webhooks'));
  }, 180_000);
});

describe.skipIf(!hasCompose)('the example with two replicas', () => {
  /** A copy of the example with a password of its own. Understudy runs as user 1000. */
  function copyExample(): string {
    const folder = mkdtempSync(join(tmpdir(), 'understudy-replicas-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    cpSync('examples/replicas', folder, { recursive: true });
    const secrets = join(folder, 'secrets');
    mkdirSync(secrets);
    const password = randomUUID();
    writeFileSync(join(secrets, 'password'), password);
    const pgpass = `postgres:5432:understudy:understudy:${password}\n`;
    writeFileSync(join(secrets, 'pgpass'), pgpass, { mode: 0o600 });
    const asRoot = ['run', '--rm', '--user', '0', '--entrypoint', 'chown', '--volume', `${secrets}:/secrets`];
    docker(...asRoot, 'understudy', '1000', '/secrets/pgpass');
    return folder;
  }

  it('serves all calls while one of them is stopped', async () => {
    const project = `understudy-${randomUUID()}`;
    const file = join(copyExample(), 'compose.yaml');
    const compose = (...args: string[]) =>
      docker('compose', '--file', file, '--project-name', project, ...args);
    onTestFinished(() => void compose('down', '--volumes'));
    compose('up', '--detach', '--wait');
    const status = () =>
      fetch('http://localhost:8080/_control/v1/state/organizations').then(
        (answer) => String(answer.status),
        String,
      );

    for (const name of ['understudy-1', 'understudy-2']) {
      compose('stop', name);
      await until(/^200$/, status);
      compose('start', name);
      await until(/\(healthy\)/, () => compose('ps', '--format', '{{.Status}}', name));
    }
  }, 180_000);
});
