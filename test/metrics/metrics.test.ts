import { create } from '@bufbuild/protobuf';
import { describe, expect, it } from 'vitest';
import { boot } from '../support/boot.ts';
import { makeFolder } from '../support/process.ts';
import { callRpc, grpcTo, METHODS, openFor } from '../server/grpc/support.ts';
import { metricsOf } from '../support/metrics.ts';

const LIST = 'OrganizationService_ListOrganization';
const calls = (operation: string, protocol: string, status: string, api = 'service') =>
  `understudy_calls_total{api="${api}",operation="${operation}",protocol="${protocol}",status="${status}"}`;

describe('the first scrape', () => {
  it('has all calls since the start, by operation, protocol and class of the status', async () => {
    const { api, anonymous, control, understudy, token } = await boot();
    await api.get('/api/v1/organizations').expect(200);
    await api.get('/api/v1/organizations').expect(200);
    await anonymous.get('/api/v1/organizations').expect(401);
    await api.get('/no/such/path').expect(404);
    await control.get('/clock').expect(200);
    await control.get('/clocc').expect(404);
    const method = METHODS.get(LIST)!;
    const url = await openFor(understudy);
    await callRpc(grpcTo(url), method, create(method.input), { authorization: `Bearer ${token}` });

    const metrics = await metricsOf(anonymous);

    expect(metrics.get(calls(LIST, 'http/1.1', '2xx'))).toBe(2);
    expect(metrics.get(calls(LIST, 'http/1.1', '4xx'))).toBe(1);
    expect(metrics.get(calls(LIST, 'grpc', '2xx'))).toBe(1);
    expect(metrics.get(calls('none', 'http/1.1', '4xx'))).toBe(1);
    expect(metrics.get(calls('Control_GetClock', 'http/1.1', '2xx', 'control'))).toBe(1);
    expect(metrics.get(calls('none', 'http/1.1', '4xx', 'control'))).toBe(1);
    expect(metrics.get(calls('Control_GetMetrics', 'http/1.1', '2xx', 'control'))).toBeUndefined();
    const labels = `api="service",operation="${LIST}"`;
    expect(metrics.get(`understudy_call_duration_seconds_count{${labels}}`)).toBe(4);
    expect(metrics.get(`understudy_call_duration_seconds_bucket{${labels},le="+Inf"}`)).toBe(4);
    expect(metrics.get(`understudy_call_duration_seconds_sum{${labels}}`)).toBeGreaterThan(0);
  });

  it('says how long calls took', async () => {
    const { api, anonymous, control } = await boot();
    await control
      .post('/scenarios')
      .send({ name: 'slow', rules: [{ on: LIST, fault: { delay: '60ms' } }] })
      .expect(201);
    await api.get('/api/v1/organizations').expect(200);

    const metrics = await metricsOf(anonymous);

    const atMost = (le: string) =>
      metrics.get(`understudy_call_duration_seconds_bucket{api="service",operation="${LIST}",le="${le}"}`);
    expect([atMost('0.05'), atMost('+Inf')]).toEqual([0, 1]);
  });

  it('counts environments, commits of stored ones, attempts of webhooks, and the process', async () => {
    const { api, anonymous, control, environment } = await boot({ data: makeFolder() });
    await environment('private');
    await control.post('/webhooks/endpoints').send({ kind: 'inbox' }).expect(201);
    await api.post('/api/v1/organizations').send({ display_name: 'Acme' }).expect(201);
    await control
      .get('/webhooks/deliveries/wait')
      .query({ type: 'organization.created', timeout: '2m' })
      .expect(200);

    const metrics = await metricsOf(anonymous);

    expect(metrics.get('understudy_environments')).toBe(2);
    expect(metrics.get('understudy_commits_total{result="stored"}')).toBeGreaterThan(1);
    expect(metrics.get('understudy_commits_total{result="failed"}')).toBe(0);
    expect(metrics.get('understudy_commits_waiting')).toBe(0);
    expect(metrics.get('understudy_outgoing_attempts_total{kind="webhook",result="delivered"}')).toBe(1);
    expect(metrics.get('process_cpu_seconds_total')).toBeGreaterThan(0);
    expect(metrics.has('nodejs_eventloop_lag_p99_seconds')).toBe(true);
    expect([...metrics.keys()].filter((name) => name.includes('private'))).toEqual([]);
  });
});

describe('Control_GetMetrics', () => {
  it("answers in Prometheus' text format", async () => {
    const { anonymous } = await boot();

    const { headers, text } = await anonymous.get('/_control/metrics').expect(200);

    expect(headers['content-type']).toBe('text/plain; version=0.0.4; charset=utf-8');
    expect(text).toMatch(/^# HELP understudy_calls_total .+\n# TYPE understudy_calls_total counter\n/);
    await anonymous.post('/_control/metrics').expect(405);
  });

  it('has a bounded number of lines, whatever paths and protocols callers use', async () => {
    const { anonymous } = await boot();
    // The lines about the process itself follow the connections that happen to be open.
    const count = async () =>
      [...(await metricsOf(anonymous)).keys()].filter((line) => line.startsWith('understudy_')).length;
    await anonymous.get('/path/0').expect(404);
    await count();
    const before = await count();

    for (let number = 1; number <= 20; number += 1) await anonymous.get(`/path/${number}`).expect(404);

    expect(await count()).toBe(before);
  });
});
