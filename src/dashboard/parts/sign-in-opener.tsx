import { useSignal, type Signal } from '@preact/signals';
import { unchecked } from '../../client/control.ts';
import { useAction } from '../data.ts';
import { openTab } from '../browser.ts';
import { href } from '../route.ts';
import { environment } from '../session.ts';
import { authorizeAddress, type Wanted } from '../sign-in/authorize.ts';
import { FAILURES } from '../sign-in/failures.ts';
import type { Rows } from '../sign-in/rows.ts';
import { Complaint, Copy, Do } from './parts.tsx';

interface OpenerProps {
  wanted: Signal<Wanted>;
  failure: Signal<string>;
  rows: Rows;
}

/** Loads the failure, then opens the sign-in in a new tab. */
export function SignInOpener({ wanted, failure, rows: { ownClient, users } }: OpenerProps) {
  const action = useAction();
  const address = useSignal('');
  const loaded = useSignal('');
  const make = async () => {
    const chosen = FAILURES[Number(failure.value || NaN)];
    loaded.value = '';
    const asked = wanted.value;
    const changed = chosen?.change?.(asked, users) ?? asked;
    address.value = await authorizeAddress(changed, asked.client_id === ownClient, asked.login_hint);
    if (chosen?.scenario) {
      const { scenario, params } = chosen;
      loaded.value = (await environment.value.scenarios.load(unchecked(scenario), params)).name;
    }
  };
  const open = async () => {
    await make();
    openTab(address.value);
  };
  return (
    <>
      <Complaint of={action.error.value} />
      <div class="actions">
        <Do action={action} kind="main" run={open}>
          Open the sign-in
        </Do>
        <Do action={action} run={make}>
          Make the address
        </Do>
        {address.value && <Copy text={address.value}>Copy the address</Copy>}
      </div>
      {address.value && (
        <p class="made" role="status">
          <a href={address.value} target="_blank" rel="noreferrer">
            {address.value}
          </a>
          {loaded.value && (
            <>
              {' '}
              with the scenario <a href={href('scenarios')}>{loaded.value}</a>
            </>
          )}
        </p>
      )}
    </>
  );
}
