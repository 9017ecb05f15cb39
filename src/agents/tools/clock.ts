import { unchecked, type Clock, type ClockSetting } from '../../client/control.ts';
import { ADDS, from, optional, SETS, TEXT, tool } from '../tool.ts';

const OUTPUT = { mode: TEXT, now: TEXT, offset_ms: optional({ type: 'number' }) };

const describe = ({ mode, now }: Clock) => `It is ${now} in this environment (clock: ${mode}).`;

export const clockTools = [
  tool<{ by: string }>({
    name: 'advance_clock',
    title: 'Advance the clock',
    description:
      'Moves the clock of the environment forward. Everything that is due happens: tokens, codes and invitations expire, webhooks are retried. No real time passes.',
    input: { by: from('Control_AdvanceClock') },
    required: ['by'],
    output: OUTPUT,
    hints: ADDS,
    async run({ by }, { environment: { clock } }) {
      const now = await clock.advance(unchecked(by));
      return { text: describe(now), data: { ...now } };
    },
  }),

  tool<ClockSetting>({
    name: 'set_clock',
    title: 'Set or freeze the clock',
    description:
      'Freezes the clock of the environment (mode frozen, now or `at` a time), shifts it (mode offset), or lets it follow the machine again (mode real). Setting it back reverts nothing.',
    input: {
      mode: from('Control_SetClock'),
      at: from('Control_SetClock'),
      offset: from('Control_SetClock'),
    },
    required: ['mode'],
    output: OUTPUT,
    hints: SETS,
    async run({ mode, at, offset }, { environment: { clock } }) {
      const setting = { mode, ...(at !== undefined && { at }), ...(offset !== undefined && { offset }) };
      const now = await clock.set(setting);
      return { text: describe(now), data: { ...now } };
    },
  }),
];
