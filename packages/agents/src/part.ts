import type { Part } from '@understudy/core/parts';

export const part: Part = {
  commands: async (shell) => [(await import('./mcp-command.ts')).mcpCommand(shell)],
  agents: async (controls, apis) => {
    const { AgentCalls } = await import('./agent-calls.ts');
    const calls = new AgentCalls(controls, apis);
    return (call) => calls.answer(call);
  },
  warmUp: ({ documents, version }) => [
    () => import('./agents.ts'),
    async () => {
      const { AccessTokens, createAgentServer } = await import('./agents.ts');
      const connect = () => Promise.resolve({ url: '', token: undefined, fetch });
      const tokens = new AccessTokens();
      const server = createAgentServer({ documents, version, tokens, environment: '', connect });
      // The tool `describe_operation` reads only documents, so it calls no service.
      return server.call('describe_operation', { search: 'user' }, new AbortController().signal);
    },
  ],
};
