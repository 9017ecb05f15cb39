import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { Agent as HttpAgent, get } from 'node:http';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { follow, makeFolder, PROGRAM, serve } from '../support/process.ts';
import { begun, busyService, stopAtOnce } from '../support/stop.ts';

/** How many commits are in the log alone, and the names of the organizations in the snapshot file. */
function kept(data: string) {
  const lines = readFileSync(join(data, 'default.log'), 'utf8').split('\n').slice(0, -1);
  const { organizations } = JSON.parse(readFileSync(join(data, 'default.json'), 'utf8'));
  return {
    unfolded: lines.filter((line) => !JSON.parse(line).folded).length,
    names: organizations.map(({ display_name }: { display_name: string }) => display_name),
  };
}

describe.each(['SIGTERM', 'SIGINT'] as const)('on %s', (signal) => {
  it.each([1, 2])(
    'sent %i times, open calls are answered, the log is folded into the snapshot, and it exits with 0',
    async (times) => {
      const data = makeFolder();
      const service = await serve(['--data', data]);
      const api = await service.login();
      await service.control.post('/scenarios').send({ name: 'slow-answers' }).expect(201);
      const names = Array.from({ length: 3 }, (_, index) => `Late ${index}`);
      const answers = Promise.all(
        names.map((display_name) => api.post('/api/v1/organizations').send({ display_name })),
      );
      const settled = answers.then((all) => all.map(({ status }) => status));
      await begun(service, 'OrganizationService_CreateOrganization', names.length);

      for (let sent = 0; sent < times; sent += 1) service.kill(signal);
      const { code, stderr } = await service.exited;

      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      expect(await settled).toEqual(names.map(() => 201));
      expect(kept(data)).toEqual({ unfolded: 0, names: expect.arrayContaining(names) });
    },
  );
});

describe('a clean stop', () => {
  it('does not wait for idle keep-alive connections', async () => {
    const service = await serve();
    const agent = new HttpAgent({ keepAlive: true });
    onTestFinished(() => agent.destroy());
    await answered(`${service.url}/_control/v1/health`, agent);

    const { code } = await stopAtOnce(service);

    expect(code).toBe(0);
  });

  it('does not wait for a call that a rule delays by an hour', async () => {
    const { service, cutOff } = await busyService();

    const { code } = await service.stop();

    expect(code).toBe(0);
    await cutOff;
  });

  it.each([
    ['a file that has ended', 'ignore'],
    ['a pipe that closes', 'pipe'],
  ] as const)('comes with --stop-with-stdin and %s', async (_, stdin) => {
    const args = [PROGRAM, 'serve', '--memory', '--port', '0', '--stop-with-stdin'];
    const child = spawn(process.execPath, args, { cwd: makeFolder(), stdio: [stdin, 'pipe', 'pipe'] });
    const { line, exited } = follow(child);

    await line(/is ready at/);
    child.stdin?.end();

    expect(await exited).toMatchObject({ code: 0, stderr: '' });
  });

  it('writes the snapshots of all stored environments', async () => {
    const data = makeFolder();
    const service = await serve(['--data', data]);
    await service.control.post('/environments').send({ name: 'worker', persist: true }).expect(201);
    await service.stop();

    expect(existsSync(join(data, 'worker.json'))).toBe(true);
    expect(existsSync(join(data, '.owner.sock'))).toBe(false);
  });
});

describe('npm start', () => {
  it("starts the same program, and the terminal's interrupt stops it once", async () => {
    const data = makeFolder();
    const args = ['start', '--', '--port', '0', '--data', data];
    const npm = spawn('npm', args, { detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
    const { line, exited } = follow(npm);
    onTestFinished(() => endGroup(npm.pid!));

    const [, url] = /at (http.*)/.exec(await line(/ready at http:\S+/))!;
    expect((await fetch(`${url}/_control/v1/health`)).status).toBe(200);
    process.kill(-npm.pid!, 'SIGINT');
    await exited;

    expect(kept(data)).toMatchObject({ unfolded: 0 });
    await expect(fetch(`${url}/_control/v1/health`)).rejects.toThrow('fetch failed');
  });
});

function answered(url: string, agent: HttpAgent): Promise<void> {
  return new Promise((resolve, reject) => {
    get(url, { agent }, (response) => response.resume().once('end', resolve)).once('error', reject);
  });
}

function endGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // The whole group has ended already.
  }
}
