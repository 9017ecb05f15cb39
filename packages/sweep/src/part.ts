import type { Part } from '@understudy/core/parts';

export const part: Part = {
  commands: async ({ terminal, interruption }) => {
    const { sweepCommand } = await import('./commands/sweep-command.ts');
    return [sweepCommand(terminal, interruption)];
  },
};
