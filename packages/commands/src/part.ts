import type { Part } from '@understudy/core/parts';

export const part: Part = {
  commands: async (shell) => (await import('./commands/commands.ts')).commands(shell),
};
