import type { Env, Rows } from '@understudy/core/state/env';

type Tool = Rows['tools'];

/** What tells the versions of a tool apart. */
export function versionOf({ definition }: { definition: object }): string {
  const { schema_version = '', tool_version = '' } = definition as Record<string, unknown>;
  return `${String(schema_version)} ${String(tool_version)}`;
}

/** The version that runs: the default one, or the first. */
export function defaultTool(env: Env, name: string): Tool | undefined {
  const versions = env.tools.list('name', name);
  return versions.find(({ is_default }) => is_default) ?? versions[0];
}
