import { collectDefaultMetrics, Counter, Gauge, Registry, type Metric } from 'prom-client';
import { BOUNDS, type Durations, type Metrics } from './metrics.ts';

export const MEDIA_TYPE = Registry.PROMETHEUS_CONTENT_TYPE;

/** What a process is and has at the moment. */
interface Gauges {
  version: string;
  /** The number of environments in memory. */
  environments: number;
}

/** Of the process, for all simulators in it. Its values begin with the first use of this file. */
const process = new Registry();
collectDefaultMetrics({ register: process });

/** Everything in Prometheus' text format. */
export async function expose(metrics: Metrics, gauges: Gauges): Promise<string> {
  const registry = new Registry();
  addCalls(registry, metrics);
  addCommits(registry, metrics);
  addJournal(registry, metrics);
  addOutgoing(registry, metrics);
  addGauges(registry, gauges);
  return `${await registry.metrics()}\n${await process.metrics()}`;
}

function addCalls(registry: Registry, { service, control }: Metrics): void {
  const apis = Object.entries({ service, control });
  const calls = counter(registry, 'calls_total', 'Answered calls.', [
    'api',
    'operation',
    'protocol',
    'status',
  ]);
  for (const [api, counts] of apis)
    for (const { count, ...labels } of counts.answers()) calls.inc({ api, ...labels }, count);
  const series = apis.flatMap(([api, counts]) =>
    Array.from(counts.durations(), ({ operation, durations }) => ({ labels: { api, operation }, durations })),
  );
  addHistogram(registry, 'call_duration_seconds', 'Time until the answer of a call.', series);
}

function addCommits(registry: Registry, { commits }: Metrics): void {
  const { durations, failed, waiting } = commits;
  const help = 'Commits of stored environments.';
  const total = counter(registry, 'commits_total', help, ['result']);
  total.inc({ result: 'stored' }, durations.count);
  total.inc({ result: 'failed' }, failed);
  gauge(registry, 'commits_waiting', 'Commits that are not stored yet.', waiting);
  addHistogram(registry, 'commit_duration_seconds', 'Time until a commit is stored.', [
    { labels: {}, durations },
  ]);
}

/** Only if journals are stored. */
function addJournal(registry: Registry, { journal: { stored, lost } }: Metrics): void {
  if (stored + lost === 0) return;
  const help = 'Calls of stored journals. lost: dropped before they were stored.';
  const total = counter(registry, 'journal_calls_total', help, ['result']);
  total.inc({ result: 'stored' }, stored);
  total.inc({ result: 'lost' }, lost);
}

function addOutgoing(registry: Registry, { attempts }: Metrics): void {
  const made = counter(
    registry,
    'outgoing_attempts_total',
    'Attempts of webhooks and other outgoing calls.',
    ['kind', 'result'],
  );
  for (const [kind, counts] of attempts)
    for (const [result, count] of counts) made.inc({ kind, result }, count);
}

function addGauges(registry: Registry, { version, environments }: Gauges): void {
  const info = { name: 'understudy_info', help: 'The version of Understudy.', labelNames: ['version'] };
  new Gauge({ ...info, registers: [registry] }).set({ version }, 1);
  gauge(registry, 'environments', 'Environments that this process has in memory.', environments);
}

const counter = (registry: Registry, name: string, help: string, labelNames: string[]) =>
  new Counter({ name: `understudy_${name}`, help, labelNames, registers: [registry] });

function gauge(registry: Registry, name: string, help: string, value: number): void {
  new Gauge({ name: `understudy_${name}`, help, registers: [registry] }).set(value);
}

interface Series {
  labels: Record<string, string>;
  durations: Durations;
}

/** The library's own histogram takes only single values. A registry asks a metric for nothing but its name and values. */
function addHistogram(registry: Registry, shortName: string, help: string, series: readonly Series[]): void {
  const name = `understudy_${shortName}`;
  const values = series.flatMap((each) => valuesOf(name, each));
  const metric = { name, get: async () => ({ name, help, type: 'histogram', values, aggregator: 'sum' }) };
  registry.registerMetric(metric as unknown as Metric);
}

function valuesOf(name: string, { labels, durations }: Series) {
  const { count, sum } = durations;
  const bucket = (le: number | '+Inf', value: number) => ({
    metricName: `${name}_bucket`,
    labels: { ...labels, le },
    value,
  });
  return [
    ...durations.cumulative().map((value, index) => bucket(BOUNDS[index]!, value)),
    bucket('+Inf', count),
    { metricName: `${name}_sum`, labels, value: sum },
    { metricName: `${name}_count`, labels, value: count },
  ];
}
