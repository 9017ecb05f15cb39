import type { Entry } from '../journal/entry.ts';
import { counted } from '@understudy/text/words';
import type { Fact, Reasons } from './answer.ts';
import { editsOf } from './history.ts';

const MOST_SHOWN = 5;
const CAUSED: Readonly<Record<string, string>> = {
  events: 'event',
  webhook_deliveries: 'webhook',
  mails: 'mail',
};

/** What a call changed and caused. */
export function successReasons(entry: Entry): Required<Omit<Reasons, 'remedies'>> {
  const { status } = entry;
  const edits = editsOf(entry);
  const caused = edits.filter(
    ({ collection, change }) => CAUSED[collection] !== undefined && change === 'created',
  );
  const own = edits.filter((change) => !caused.includes(change));
  const words = [
    `succeeded with ${status}`,
    ...(own.length > 0 ? [`changed ${counted(own.length, 'row')}`] : []),
    ...Object.entries(CAUSED).flatMap(([collection, noun]) => {
      const count = caused.filter((change) => change.collection === collection).length;
      return count === 0 ? [] : [`caused ${counted(count, noun)}`];
    }),
  ];
  if (words.length === 1) words.push('changed nothing');
  const because = [...own, ...caused].slice(0, MOST_SHOWN).map(({ collection, id, change }): Fact => ({
    text: `It ${change} ${collection}/${id}.`,
    row: `${collection}/${id}`,
  }));
  return { summary: `The call ${words.slice(0, -1).join(', ')} and ${words.at(-1)}.`, because };
}
