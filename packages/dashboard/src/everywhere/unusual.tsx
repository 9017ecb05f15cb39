import { useAction, useData } from '../data.ts';
import { useClock } from '../now.ts';
import { Complaint, Do } from '../parts/parts.tsx';
import { href } from '../route.ts';
import { isUsedUp, RuleSentence } from '../scenarios/sentence.tsx';
import { environment } from '../session.ts';

/** More scenarios than this are only counted, so that the page stays in view. */
const MOST = 3;

/** What makes the environment answer unlike the service, on every page: each can be ended where it stands. */
export function Unusual() {
  const mode = useClock()?.mode ?? 'real';
  const { value } = useData(() => environment.value.scenarios.list(), ['scenario', 'request', 'snapshot']);
  const action = useAction();
  const active = value?.loaded.filter((each) => !isUsedUp(each)) ?? [];
  if (mode === 'real' && active.length === 0) return null;
  const { clock, scenarios } = environment.value;
  return (
    <ul class="unusual" aria-label="What is not normal">
      {mode !== 'real' && (
        <li>
          <span>
            The <a href={href('clock')}>clock</a> {mode === 'frozen' ? 'stands still' : 'is moved'}.
          </span>
          <Do action={action} run={() => clock.set({ mode: 'real' })}>
            Put it back
          </Do>
        </li>
      )}
      {active.slice(0, MOST).map(({ id, name, rules: [rule] }) => (
        <li key={id}>
          <span>
            The scenario <a href={href('scenarios')}>{name}</a> is active.{' '}
            {rule && <RuleSentence rule={rule} />}
          </span>
          <Do action={action} label={`End ${name}`} run={() => scenarios.unload(id)}>
            End
          </Do>
        </li>
      ))}
      {active.length > MOST && (
        <li>
          <a href={href('scenarios')}>{active.length - MOST} more scenarios are active</a>
        </li>
      )}
      {action.error.value !== undefined && (
        <li>
          <Complaint of={action.error.value} />
        </li>
      )}
    </ul>
  );
}
