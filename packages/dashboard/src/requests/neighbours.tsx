import { useSignal } from '@preact/signals';
import { go } from '../route.ts';
import { environment } from '../session.ts';
import { callAddress, wantedCalls } from './call-filter.ts';

const MOST_NEWER = 1000;

/** Leads to the calls before and after this one that match the filter of the list. The keys j and k press the buttons. */
export function Neighbours({ id }: { id: string }) {
  const said = useSignal('');
  const { requests, name } = environment.value;
  const { sort: _, reverse: __, ...match } = wantedCalls.value;
  const move = async (find: () => Promise<{ id: string } | undefined>, nothing: string) => {
    const found = await find().catch(() => undefined);
    if (found) go(callAddress(name, found.id));
    else said.value = nothing;
  };
  const older = async () => (await requests.list({ ...match, before: id, limit: 1 })).at(-1);
  const newer = async () => (await requests.list({ ...match, since: id, limit: MOST_NEWER }))[0];
  return (
    <span class="neighbours">
      <button type="button" data-step="-1" onClick={() => void move(newer, 'This is the latest call.')}>
        Later call
      </button>
      <button type="button" data-step="1" onClick={() => void move(older, 'This is the first call.')}>
        Earlier call
      </button>
      <span class="faint" role="status">
        {said.value}
      </span>
    </span>
  );
}
