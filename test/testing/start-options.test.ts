import { describe, expect, it } from 'vitest';
import { serveOptions } from '../../src/cli/options.ts';
import { flagsOf, variablesOf, type StartOptions } from '@understudy/client/testing/start';

/** Flags that are about a process of its own, or that the other options say. */
const NONE_OF_THEM = ['--config', '--json', '--stop-with-stdin', '--memory'];

const ALL: Required<Omit<StartOptions, 'mode' | 'log' | 'store'>> = {
  port: 9000,
  host: 'localhost',
  data: './data',
  fsync: true,
  fixture: 'small',
  fixtureFolders: ['a'],
  scenarios: ['unavailable'],
  scenarioFolders: ['b'],
  seed: 7,
  strict: true,
  failOnUnusedRules: true,
  maxEnvironments: 3,
  history: 50,
  autoLogin: 'ada@acme.example',
  clientId: 'skc_7',
  clientSecret: 'secret',
  controlToken: 'token',
  controlOrigins: ['http://localhost:3000'],
  allowHosts: ['understudy'],
  webhooks: ['http://localhost:3000/hooks'],
  webhookSecret: 'whsec_dW5kZXJzdHVkeSB3ZWJob29rIGtleSAx',
  webhookAllow: ['localhost'],
  proxyTo: ['github=http://localhost:4001'],
  baseUrl: 'https://auth.example',
  trustProxy: true,
  tlsCert: 'cert.pem',
  tlsKey: 'key.pem',
  tlsHosts: ['idp.example'],
  environmentTtl: 0,
  journalEntries: 10,
  journalBytes: 1000,
  journalStore: true,
  redact: false,
  report: ['run.html'],
  logFormat: 'json',
  logLevel: 'info',
  watch: true,
};

describe('the options of startUnderstudy', () => {
  it('are all that serve takes, and serve takes each of them', () => {
    const current = serveOptions({}).filter(({ hidden }) => !hidden);
    const known = current.map(({ long }) => long!);
    const flags = flagsOf(ALL).filter((each) => each.startsWith('--'));
    const variables = Object.keys(variablesOf({ ...ALL, store: 'postgres://localhost/a' }));
    const ofVariables = variables.map((name) =>
      name.replace('UNDERSTUDY_', '--').toLowerCase().replaceAll('_', '-'),
    );

    const given = [...flags, ...ofVariables, ...NONE_OF_THEM];
    expect(known.filter((flag) => !given.includes(flag))).toEqual([]);
    expect(flags.filter((flag) => !known.includes(flag))).toEqual([]);
  });
});
