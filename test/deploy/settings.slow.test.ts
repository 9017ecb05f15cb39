import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HAS_POSTGRES, Postgres } from '../support/postgres.ts';
import { eventually, freePort, serve } from '../support/process.ts';
import { startReplica } from '../support/replicas.ts';

const EXAMPLES = 'examples';
const read = (path: string) => readFileSync(`${EXAMPLES}/${path}`, 'utf8');

type Variables = Record<string, string>;

interface Compose {
  services: Record<string, { environment: Variables }>;
}

interface Probe {
  httpGet: { path: string };
}

interface Deployment {
  spec: {
    template: {
      spec: {
        containers: {
          readinessProbe: Probe;
          startupProbe: Probe;
          livenessProbe: Probe;
        }[];
      };
    };
  };
}

const composed = () => {
  const { services } = parse(read('replicas/compose.yaml'), { merge: true }) as Compose;
  return services['understudy-1']!.environment;
};

function container() {
  const { spec } = parse(read('kubernetes/deployment.yaml')) as Deployment;
  return spec.template.spec.containers[0]!;
}

/** What the pod gets of its ConfigMap and its Secret. */
function deployed(): Variables {
  const files = ['settings.env', 'store.env'].map((file) => read(`kubernetes/${file}`));
  const pairs = files.flatMap((text) => [...text.matchAll(/^(\w+)=(.*)$/gm)].map(([, ...pair]) => pair));
  return Object.fromEntries(pairs) as Variables;
}

let postgres: Postgres;

beforeAll(async () => {
  if (HAS_POSTGRES) postgres = await Postgres.start();
});

afterAll(() => postgres?.stop());

describe.skipIf(!HAS_POSTGRES)('the example', () => {
  it.each([
    ['for Docker Compose', composed],
    ['for Kubernetes', deployed],
  ])('%s sets what Understudy knows', async (_, settings) => {
    const port = String(await freePort());
    const image = { UNDERSTUDY_DATA: '/data', UNDERSTUDY_PORT: port };
    const written = settings();
    const { PGPASSFILE: _passwords, UNDERSTUDY_CONTROL_TOKEN: _token, ...rest } = written;
    const own = { UNDERSTUDY_STORE: await postgres.database() };

    const service = await serve(['--port', port], { variables: { ...image, ...rest, ...own } });

    expect(written['UNDERSTUDY_STORE']).toMatch(/^postgres:/);
    await service.control.get('/health').expect(200);
    expect((await service.stop()).stderr).toBe('');
  });

  it('for Kubernetes lets a pod without a database live, and sends it no calls', async () => {
    const { startupProbe, readinessProbe, livenessProbe } = container();
    const { anonymous } = await startReplica(await postgres.database(), {
      controlToken: 'secret',
    });
    const status = async ({ httpGet }: Probe) => (await anonymous.get(httpGet.path)).status;
    expect(await Promise.all([startupProbe, readinessProbe, livenessProbe].map(status))).toEqual([
      200, 200, 200,
    ]);

    postgres.crash();
    await eventually(
      () => status(readinessProbe),
      (answered) => answered === 503,
    );

    expect(await status(livenessProbe)).toBe(200);
    postgres.resume();
  });
});
