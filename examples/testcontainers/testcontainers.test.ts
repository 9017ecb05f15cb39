import { execFileSync, spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { get } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Network, type StartedNetwork } from 'testcontainers';
import { unchecked } from 'understudy-server/testing';
import { UnderstudyContainer, type StartedUnderstudyContainer } from 'understudy-server/testcontainers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

// Only where somebody has built the image: `docker build -t understudy .`
const hasImage = spawnSync('docker', ['image', 'inspect', 'understudy']).status === 0;

const SCENARIO = 'name: own\nrules: [{ on: UserService_*, reply: { error: unavailable } }]\n';

describe.skipIf(!hasImage)('UnderstudyContainer', () => {
  const folder = mkdtempSync(join(tmpdir(), 'understudy-test-'));
  let container: StartedUnderstudyContainer;
  let network: StartedNetwork;

  beforeAll(async () => {
    const folders = { scenarios: join(folder, 'scenarios'), fixtures: join(folder, 'fixtures') };
    for (const each of Object.values(folders)) mkdirSync(each);
    writeFileSync(join(folders.scenarios, 'own.yaml'), SCENARIO);
    copyFileSync('fixtures/empty.json', join(folders.fixtures, 'no-rows.json'));
    network = await new Network().start();
    container = await new UnderstudyContainer()
      .withScenarioFolder(folders.scenarios)
      .withFixtureFolder(folders.fixtures)
      .withControlToken('let-me-in')
      .withNetwork(network)
      .withNetworkAliases('understudy')
      .start();
  }, 120_000);

  afterAll(async () => {
    rmSync(folder, { recursive: true });
    await container?.stop();
    await network?.stop();
  });

  it('gives the address, and a client that has the control token', async () => {
    const sim = await container.connect();
    const env = await sim.environment();

    expect(container.getUrl()).toMatch(/^http:\/\/[^/]+:\d+$/);
    expect(env.url).toBe(container.getUrl());
    expect(await env.accessToken()).toMatch(/^ey/);
  });

  it('has the folders with own scenarios and fixtures', async () => {
    const sim = await container.connect();
    const env = await sim.environment({ fixture: unchecked('no-rows') });

    await env.scenario(unchecked('own'));

    expect(await env.state.list('organizations')).toEqual([]);
  });

  it('has a certificate for its own host and for its name in a network', async () => {
    const { control } = await container.connect();
    const ca = await control.authority();

    const statusAs = (servername: string) =>
      new Promise((resolve, reject) => {
        const url = `${container.getTlsUrl()}/_control/v1/health`;
        get(url, { ca, servername }, (response) => resolve(response.resume().statusCode)).on('error', reject);
      });

    expect(await Promise.all(['localhost', 'understudy'].map(statusAs))).toEqual([200, 200]);
    await expect(statusAs('other.example')).rejects.toThrow(/altnames/);
  });

  it('ends when the client that it made is stopped', async () => {
    const id = container.getId();
    const sim = await container.connect();

    await sim.stop();

    const running = execFileSync('docker', ['ps', '--no-trunc', '--format', '{{.ID}}'], { encoding: 'utf8' });
    expect(running).not.toContain(id);
  });
});
