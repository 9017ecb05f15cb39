import { unchecked, type Clock, type ClockSetting } from '@understudy/client/control';
import { ADDS, from, NONE, tool } from '../tool.ts';

const describe = ({ mode, now }: Clock) => `It is ${now} in this environment (clock: ${mode}).`;

export const clockTools = [
  tool<{ by: string }>({
    name: 'advance_clock',
    description:
      'Moves the clock forward. What is due happens: tokens and invitations expire, webhooks are retried. No real time passes.',
    input: { by: from('Control_AdvanceClock', { description: '25h or 14d' }) },
    required: ['by'],
    hints: ADDS,
    async run({ by }, { environment: { clock } }) {
      const now = await clock.advance(unchecked(by));
      return { text: describe(now), data: { ...now } };
    },
  }),

  tool<ClockSetting>({
    name: 'set_clock',
    description:
      'Freezes the clock (now or `at` a time), shifts it, or lets it follow the machine again. Setting it back reverts nothing.',
    input: {
      mode: from('Control_SetClock', { description: NONE }),
      at: from('Control_SetClock', { description: NONE }),
      offset: from('Control_SetClock', { description: 'Such as -30m' }),
    },
    required: ['mode'],
    hints: ADDS,
    async run({ mode, at, offset }, { environment: { clock } }) {
      const now = await clock.set({ mode, at, offset });
      return { text: describe(now), data: { ...now } };
    },
  }),
];
