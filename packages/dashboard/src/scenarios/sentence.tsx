import type { LoadedScenario } from '@understudy/client/control';
import { plainText } from '@understudy/text/json';
import { useData } from '../data.ts';
import { readIndex } from '../reference/contract.ts';

type Rule = LoadedScenario['rules'][number];

/** Whether no rule of the scenario will be applied again. */
export const isUsedUp = ({ rules }: LoadedScenario): boolean =>
  rules.length > 0 && rules.every(({ remaining }) => remaining === 0);

/** Which calls the rule changes, in one sentence. */
export function RuleSentence({ rule }: { rule: Rule }) {
  const { remaining, hits, when } = rule;
  return (
    <>
      {remaining === 0 ? `Used up: it has changed ${calls(hits)} of ` : `It changes ${next(remaining)} of `}
      <Target on={rule.on} />
      {when && (
        <>
          {' '}
          if <code>{JSON.stringify(when)}</code>
        </>
      )}
      .
    </>
  );
}

const calls = (count: number) => (count === 1 ? '1 call' : `${count} calls`);

function next(remaining: number | undefined): string {
  if (remaining === undefined) return 'every call';
  return remaining === 1 ? 'the next call' : `the next ${remaining} calls`;
}

/** What people call the operation; a pattern stays as the scenario has it. */
function Target({ on }: { on: unknown }) {
  const { value: index } = useData(readIndex, ['none']);
  const known = index?.operations.find(({ id, document }) => document === 'service' && id === on);
  if (known) return <>“{known.summary}”</>;
  return <code>{Array.isArray(on) ? on.map(plainText).join(', ') : plainText(on)}</code>;
}
