import { expect, it } from 'vitest';
import { shippedProbes } from '../../src/probes/probe.ts';
import { ask } from '../support/probes.ts';
import type { Distortion, PassingAnswer } from './second-service.ts';
import { openService } from './support.ts';

const on = (line: RegExp, change: (answer: PassingAnswer) => void): Distortion => ({
  answer: (call, answer) => {
    if (line.test(call.line)) change(answer);
  },
});

/** Distortions of what a rule of the ledger says, by the rules that they touch. */
const TOUCHED: readonly [rules: string[], distortion: Distortion][] = [
  [
    ['connections/initial-settings'],
    on(/^GET .*\/connections\/[^/]+$/, ({ json }) => {
      if (json?.connection?.oidc_config) json.connection.oidc_config.token_auth_type = 'URL_PARAMS';
    }),
  ],
  [
    ['directories/initial-status'],
    on(/^GET .*\/directories\/[^/]+$/, ({ json }) => {
      if (json?.directory?.status === 'IN_PROGRESS') json.directory.status = 'DRAFT';
    }),
  ],
  [
    ['interceptors/default-failure-policy'],
    on(/^GET .*\/interceptors\/[^/]+$/, ({ json }) => {
      if (json?.interceptor) json.interceptor.failure_policy = 'FAIL_OPEN';
    }),
  ],
  [
    ['roles/absent-permission'],
    on(/^DELETE .*\/roles\/[^/]+\/permissions\//, (answer) => {
      if (answer.status === 404) Object.assign(answer, { status: 200, json: {} });
    }),
  ],
  [
    ['users/remove-absent-role'],
    on(/^DELETE .*\/users\/[^/]+\/roles\//, (answer) => {
      if (answer.status === 404) Object.assign(answer, { status: 200, json: {} });
    }),
  ],
  [
    ['resources/default-lifetimes'],
    on(/^GET .*\/resources\/[^/]+$/, ({ json }) => {
      if (json?.resource?.access_token_expiry === '3600') json.resource.access_token_expiry = '300';
    }),
  ],
  [
    ['api-tokens/past-expiry'],
    on(/^POST .*\/tokens$/, (answer) => {
      if (answer.status === 400 && /expir|future|past/.test(JSON.stringify(answer.json))) answer.status = 409;
    }),
  ],
  [
    ['passwordless/wrong-codes'],
    on(/^POST .*passwordless\/email\/verify$/, (answer) => {
      if (answer.status === 429) answer.status = 400;
    }),
  ],
];

it('probes turn the rules that a service breaks into differences, and no others', async () => {
  const { booted, url } = await openService(
    TOUCHED.map(([, distortion]) => distortion),
    { seed: 5, fixture: 'default' },
  );

  // The second service does not speak HTTP/2, which probes of gRPC need.
  const probes = shippedProbes().filter(({ rule }) => !rule.startsWith('grpc/'));

  const verdicts = await ask(booted, probes, { url });

  expect(
    verdicts.filter(({ verdict }) => verdict !== 'same').map(({ rule, verdict }) => [rule, verdict]),
  ).toEqual(
    TOUCHED.flatMap(([rules]) => rules)
      .toSorted()
      .map((rule) => [rule, 'different']),
  );
  expect(verdicts.length).toBeGreaterThan(150);
}, 240_000);
