import { Listed } from '../environments/listed.tsx';
import { Make } from '../environments/make.tsx';
import { Reset } from '../environments/reset.tsx';
import { Snapshots } from '../environments/snapshots.tsx';
import { useAction, useData } from '../data.ts';
import { Complaint, Do, Heading } from '../parts/parts.tsx';
import { environmentName } from '../route.ts';
import { saveFile } from '../browser.ts';
import { control, environmentChanges, SHOWN_AT_REST } from '../session.ts';

/** What changes the numbers of the list. */
const KINDS = ['environment', 'request', 'reset', 'state'];

/** Isolated copies of everything: made, forked, reset and dropped here. */
export function EnvironmentsPage() {
  const read = () => control().environments.list({ resting: SHOWN_AT_REST });
  const { value = [], error } = useData(read, KINDS, environmentChanges.value);
  const atRest = value.filter(({ resting }) => resting).length;
  return (
    <>
      <Heading title="Environments" />
      <Complaint of={error} />
      <section class="card">
        <h2>All</h2>
        {value.map((each) => (
          <Listed key={each.name} listed={each} />
        ))}
        {atRest === SHOWN_AT_REST && (
          <p class="faint">
            The first {SHOWN_AT_REST} environments at rest are shown. <code>understudy env list</code> lists
            more.
          </p>
        )}
      </section>
      <Make />
      <Reset key={environmentName.value} />
      <Snapshots />
      <Files />
    </>
  );
}

/** Files for other programs. They are fetched by script, because a link could not send the control token. */
function Files() {
  const action = useAction();
  const save = (name: string, type: string, read: () => Promise<string>) => async () =>
    saveFile(name, type, await read());
  const json = 'application/json';
  return (
    <section class="card">
      <h2>Files</h2>
      <Complaint of={action.error.value} />
      <div class="actions">
        <Do
          action={action}
          run={save('understudy-ca.pem', 'application/x-pem-file', () => control().authority())}
        >
          Save the CA certificate
        </Do>
        <Do action={action} run={save('openapi.json', json, serviceDocument)}>
          Save the API document
        </Do>
        <Do
          action={action}
          run={save('control-openapi.json', json, async () => written(await control().document()))}
        >
          Save the control API document
        </Do>
      </div>
    </section>
  );
}

async function serviceDocument(): Promise<string> {
  const response = await fetch('/openapi.json');
  if (!response.ok) throw new Error(`/openapi.json answers ${response.status}`);
  return written(await response.json());
}

const written = (document: unknown) => `${JSON.stringify(document, null, 2)}\n`;
