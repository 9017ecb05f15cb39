import { useAction } from '../data.ts';
import { control, environmentChanges } from '../session.ts';
import type { Environment } from '@understudy/client/control';
import { distance, machineNow } from '../now.ts';
import { Badge, Complaint, Copy, Do, Removal } from '../parts/parts.tsx';
import { environmentName, go, hrefIn } from '../route.ts';

/** One environment of the list, with what can be done to it as a whole. */
export function Listed({ listed }: { listed: Environment }) {
  const action = useAction();
  const { name, base_url: url, client_id: id, resting, kept } = listed;
  const fork = async () => {
    const made = await control().environments.fork(name);
    environmentChanges.value += 1;
    go(hrefIn(made.name, 'environments'));
  };
  return (
    <article>
      <div class="bar with-question">
        <h3>
          <a href={hrefIn(name, 'requests')}>{name}</a>{' '}
          {name === environmentName.value && <Badge kind="note">shown</Badge>}{' '}
          {resting && <Badge kind="note">at rest</Badge>} {kept && <Badge kind="note">kept for a test</Badge>}
        </h3>
        <CopyVariables of={listed} />
        <Do action={action} label={`Fork ${name}`} run={fork}>
          Fork
        </Do>
        {name !== 'default' && <Drop name={name} />}
      </div>
      <Size listed={listed} />
      <p class="faint">
        {url} · client {id}
      </p>
      <Complaint of={action.error.value} />
    </article>
  );
}

/** What an application needs to call the environment. */
export const CopyVariables = ({ of: { base_url, client_id, client_secret } }: { of: Environment }) => (
  <Copy
    text={`SCALEKIT_ENVIRONMENT_URL=${base_url}\nSCALEKIT_CLIENT_ID=${client_id}\nSCALEKIT_CLIENT_SECRET=${client_secret}\n`}
  >
    Copy variables
  </Copy>
);

/** By the machine's clock, whatever the clock of the environment says. */
function Size({
  listed: { created_at: created, last_used_at: used, rows, requests },
}: {
  listed: Environment;
}) {
  const now = machineNow();
  return (
    <p class="facts">
      <time dateTime={created} title={created}>
        Made {distance(created, now)}
      </time>
      ,{' '}
      <time dateTime={used} title={used}>
        used {distance(used, now)}
      </time>{' '}
      · {counted(rows, 'row')} · {counted(requests, 'call')}
    </p>
  );
}

const counted = (count: number, noun: string) =>
  `${count.toLocaleString('en')} ${noun}${count === 1 ? '' : 's'}`;

function Drop({ name }: { name: string }) {
  const drop = async () => {
    await control().environments.drop(name);
    environmentChanges.value += 1;
    if (name === environmentName.value) go(hrefIn('default', 'environments'));
  };
  const question =
    `Drop ${name} with its rows, calls and snapshots? This cannot be undone. Calls to ${name} that have no ` +
    'answer yet get an error.';
  return <Removal verb="Drop" name={name} question={question} run={drop} />;
}
