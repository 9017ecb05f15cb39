import { preferred } from '../pipeline/call.ts';
import { TextReply, type ControlOperations, type ControlContext } from './handler.ts';

export const service = {
  Control_Health(_, { version, simulator }) {
    const refusal = simulator.environments.refusal();
    if (refusal) throw refusal;
    return { status: 'ok' as const, version };
  },

  async Control_Authority(_, { certificates }) {
    return new TextReply('application/x-pem-file', await certificates.authority());
  },

  Control_Document(_, { documents, baseUrl }) {
    return { ...documents.control(), servers: [{ url: baseUrl }] };
  },

  async Control_GetMetrics(_, { metrics: counts, simulator, version }) {
    const { environments } = simulator;
    // The library is loaded at its first use, so that it does not slow down the start.
    const { expose, MEDIA_TYPE } = await import('../metrics/exposition.ts');
    const inMemory = environments.list().filter(({ log }) => !log.isOver).length;
    const gauges = { version, environments: inMemory };
    return new TextReply(MEDIA_TYPE, await expose(counts, gauges));
  },
} satisfies Partial<ControlOperations>;

/** The report's modules are imported on demand, so that they do not slow down the start. */
export const coverage = {
  async Control_GetCoverage({ query }, context) {
    const report = await reportFor(context, query.environments === 'all');
    if ((query.format ?? preferred(context.accept)) === 'json') return report;
    const { renderCoverage } = await import('../coverage/page.ts');
    const { headers, markup } = renderCoverage(report);
    return new TextReply('text/html; charset=utf-8', markup, headers);
  },

  /** All: this process need not own the environment that the call names. */
  Control_ForgetCoverage({ query }, context) {
    const one = query.environments === 'all' ? undefined : context.environment.name;
    context.simulator.environments.resetCoverage(one);
    return undefined;
  },
} satisfies Partial<ControlOperations>;

async function reportFor(context: ControlContext, all: boolean) {
  const { currentReport } = await import('../coverage/current.ts');
  return currentReport(context, all ? undefined : context.environment);
}
