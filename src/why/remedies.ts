import type { Entry } from '../journal/entry.ts';
import { LARGEST_BODY } from '../journal/redaction.ts';
import type { Contract } from '../contract/contract.ts';
import { plainTime, type Place, type Remedy, type Why } from './answer.ts';
import { tokenRemedy } from './credentials.ts';
import { hasNoOperation, isOtherAddress } from './nearest-operations.ts';
import { rowToCreate } from './new-row.ts';

/** A remedy that makes the explained call again, with its own headers and body. Method and path may be others. */
export interface SendAgain extends Remedy {
  again: Entry;
  /** Whether the call needs a new token. */
  withToken: boolean;
}

/** What would help a call: those that help most come first. `control` is the contract of the control API. */
export function remediesFor(
  entry: Entry,
  { kind, remedies }: Why,
  place: Place & { control: Contract },
): (Remedy | SendAgain)[] {
  // The same call would find no operation again.
  if (hasNoOperation(entry))
    return remedies.map((each) =>
      isOtherAddress(each) ? { ...each, again: entry, withToken: false } : each,
    );
  return [
    ...(kind === 'unknown' ? rowToCreate(entry, place) : []),
    ...(kind === 'time' ? clockBefore(entry) : []),
    ...(kind === 'time' && entry.status === 401 ? [tokenRemedy(place.environment)] : []),
    ...(kind === 'taken' ? rowsToDelete(entry) : []),
    ...(kind === 'scenario' ? scenarioRemedies(entry, remedies, place) : remedies),
    ...sendAgain(entry, (kind === 'time' || kind === 'authentication') && usesClientToken(entry)),
  ];
}

const JUST_BEFORE = 1000;

function clockBefore({ refusal, time }: Entry): Remedy[] {
  const ended = Date.parse(refusal?.why?.ended ?? '');
  if (!(ended <= time)) return [];
  const at = new Date(ended - JUST_BEFORE).toISOString();
  return [
    {
      text: `Set the clock of the environment to ${plainTime(at)}, just before that ended.`,
      method: 'PUT',
      path: '/_control/v1/clock',
      body: { mode: 'offset', at },
    },
  ];
}

const rowsToDelete = ({ refusal }: Entry): Remedy[] =>
  (refusal?.why?.rows ?? []).map((row) => {
    const [collection = '', id = ''] = row.split(/\/(.*)/s);
    return {
      text: `Delete ${row}, which has it.`,
      method: 'DELETE',
      path: `/_control/v1/state/${collection}/${encodeURIComponent(id)}`,
    };
  });

/** The scenario may be unloaded since. Then it can be loaded again, to get the same answer. */
function scenarioRemedies(
  { decision }: Entry,
  remedies: readonly Remedy[],
  { environment }: Place,
): readonly Remedy[] {
  const name = decision?.rule?.name;
  if (name === undefined || environment.scenarios.find(name)) return remedies;
  return [
    {
      text: `Load the scenario ${name} again, to get the same answer.`,
      method: 'POST',
      path: '/_control/v1/scenarios',
      body: { name },
    },
  ];
}

/** The OAuth endpoints take the secret of a client, SCIM that of a directory. */
const usesClientToken = ({ path, operation = '' }: Entry) =>
  !path.startsWith('/oauth/') && !operation.startsWith('Scim');

/** A body of which only the beginning is kept cannot be sent again. */
function sendAgain(entry: Entry, withToken: boolean): SendAgain[] {
  if (!entry.isClosed || (entry.status ?? 500) < 400 || entry.requestSize > LARGEST_BODY) return [];
  const { method, path } = entry;
  const text = withToken ? 'Send the call again, with a new token.' : 'Send the call again.';
  return [{ text, method, path, again: entry, withToken }];
}
