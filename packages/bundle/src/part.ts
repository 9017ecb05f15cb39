import type { Part } from '@understudy/core/parts';

export const part: Part = {
  commands: async (shell) => (await import('./commands.ts')).commands(shell),
  control: {
    Control_GetBundle: async (...call) =>
      (await import('./operations.ts')).operations.Control_GetBundle(...call),
    Control_MakeBundle: async (...call) =>
      (await import('./operations.ts')).operations.Control_MakeBundle(...call),
  },
};
