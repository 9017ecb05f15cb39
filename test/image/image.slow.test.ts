import { execFileSync, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { describe, expect, it, onTestFinished } from 'vitest';

// Only where somebody has built the image: `docker build -t understudy .`
const hasImage = spawnSync('docker', ['image', 'inspect', 'understudy']).status === 0;
const hasCompose = hasImage && spawnSync('docker', ['compose', 'version']).status === 0;

const docker = (...args: string[]) => execFileSync('docker', args, { encoding: 'utf8' }).trim();

/** Asks Docker until the answer matches. */
async function until(matches: RegExp, ask: () => string | Promise<string>): Promise<string> {
  return await expect.poll(ask, { timeout: 60_000, interval: 200 }).toMatch(matches).then(ask);
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
      docker('compose', '--file', 'test/examples/compose/compose.yaml', '--project-name', project, ...args);
    onTestFinished(() => void compose('down', '--volumes'));
    compose('up', '--detach');
    const app = (method: string) =>
      fetch('http://localhost:3000', { method }).then((answer) => answer.text());

    await until(/Quarry Works/, () => app('GET').catch(String));
    expect(await app('POST')).toBe('Globex\n');

    await until(/organization\.created Globex/, () => compose('logs', 'webhooks'));
  }, 180_000);
});
