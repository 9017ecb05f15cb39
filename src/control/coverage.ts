import { preferred } from '../pipeline/call.ts';
import { Text, type ControlContext, type ControlOperations } from './handler.ts';

/** What makes reports is imported when somebody asks for one: a start needs none of it. */
export const coverage = {
  async Control_GetCoverage({ query }, context) {
    const report = await reportFor(context, query.environments === 'all');
    if ((query.format ?? preferred(context.accept)) === 'json') return report;
    const { renderCoverage } = await import('../pages/coverage.ts');
    const { headers, markup } = renderCoverage(report);
    return new Text('text/html; charset=utf-8', markup, headers);
  },

  Control_ForgetCoverage({ query }, { environment, simulator }) {
    simulator.environments.resetCoverage(query.environments === 'all' ? undefined : environment.name);
    return undefined;
  },
} satisfies Partial<ControlOperations>;

async function reportFor(context: ControlContext, all: boolean) {
  const { environments, contract } = context.simulator;
  const [{ promisedBy }, { reportOf }, { runOf }] = await Promise.all([
    import('../coverage/promised.ts'),
    import('../coverage/tally.ts'),
    import('../coverage/report.ts'),
  ]);
  const promised = promisedBy(contract.operations, context.documents.service());
  const run = () => runOf(context.environment.coverage, context.environment.name);
  return reportOf(promised, [all ? runOf(environments.coverage(), '*') : run()]);
}
