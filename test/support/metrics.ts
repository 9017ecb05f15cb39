import type { Agent } from './boot.ts';

/** The metrics of a process by name and labels, such as `understudy_commits_total{result="stored"}`. */
export async function metricsOf(service: Agent): Promise<Map<string, number>> {
  const { text } = await service.get('/_control/metrics').expect(200);
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(
    lines.map((line) => {
      const end = line.lastIndexOf(' ');
      return [line.slice(0, end), Number(line.slice(end + 1))];
    }),
  );
}
