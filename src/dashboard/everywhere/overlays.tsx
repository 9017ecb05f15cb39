import { useSignal } from '@preact/signals';
import type { Collection } from '../../client/control.ts';
import { searchFor } from '../../text/words.ts';
import { plainText } from '../../text/json.ts';
import { useCalm, useData } from '../data.ts';
import { ENTRIES } from '../navigation.ts';
import { Dialog } from '../parts/dialog.tsx';
import { Picker, type Pickable } from '../parts/picker.tsx';
import { readIndex, searchOperations } from '../reference/contract.ts';
import { go, href } from '../route.ts';
import { failNext } from '../scenarios/failures.ts';
import { environment } from '../session.ts';
import { KEYS, overlay } from './keys.ts';

const close = () => (overlay.value = undefined);

export const Help = () => (
  <Dialog title="Keys" close={close}>
    <dl class="pairs keys">
      {KEYS.map(([key, does]) => (
        <div key={key}>
          <dt>
            <kbd>{key}</kbd>
          </dt>
          <dd>{does}</dd>
        </div>
      ))}
    </dl>
    <button type="button" onClick={close}>
      Close
    </button>
  </Dialog>
);

interface Command extends Pickable {
  run: () => void;
}

/** Finds anything: pages, actions, operations, scenarios, rows and the docs. */
export function Palette() {
  const text = useSignal('');
  const asked = useCalm(text.value);
  const index = useData(readIndex, ['none']);
  const scenarios = useData(() => environment.value.scenarios.list(), ['none']);
  const docs = useData(readDocs, ['none']);
  const rows = useData(() => findRows(asked), ['none'], asked);
  const isWanted = searchFor(text.value.replace(/^fail /, ''));
  const isFailing = text.value.startsWith('fail ');
  const operations = index.value
    ? searchOperations(index.value, text.value.replace(/^fail /, '')).slice(0, isFailing ? 3 * MOST : MOST)
    : [];
  const found: Command[] = [
    ...(isFailing ? operations.filter(({ document }) => document === 'service').map(failing) : []),
    ...pages.filter(({ title }) => isWanted(title)),
    ...(text.value.trim() === '' || isFailing ? [] : operations.map(operationCommand)),
    ...(scenarios.value?.available ?? [])
      .filter(({ name, description }) => text.value !== '' && isWanted(`${name} ${description}`))
      .slice(0, MOST)
      .map(({ name }) => command('scenario', name, href('scenarios'))),
    ...(rows.value ?? []),
    ...(docs.value ?? []).filter(({ title }) => text.value !== '' && isWanted(title)).slice(0, MOST),
  ];
  return (
    <Dialog title="Find anything" isTitleHidden close={close}>
      <Picker
        label="Find anything"
        placeholder="A page, an operation, a scenario, a row… or: fail invite"
        text={text}
        found={found}
        choose={({ run }) => {
          close();
          run();
        }}
        nothing="Nothing has these words."
      />
    </Dialog>
  );
}

/** Of each kind. */
const MOST = 8;

const command = (kind: string, title: string, address: string, detail?: string): Command => ({
  key: `${kind} ${address} ${title}`,
  kind,
  title,
  detail,
  run: () => go(address),
});

type Operation = ReturnType<typeof searchOperations>[number];

const operationCommand = ({ id, summary, method, path }: Operation): Command =>
  command('operation', summary, href('operation', id), `${method} ${path}`);

const failing = ({ id, summary, method, path }: Operation): Command => ({
  key: `fail ${id}`,
  kind: 'fail',
  title: `Fail the next call: ${summary}`,
  detail: `${method} ${path}`,
  run: () => failNext(id),
});

const pages: readonly Command[] = [
  ...ENTRIES.map(([name, title]) => ({
    key: `page ${name}`,
    kind: 'page',
    title,
    run: () => go(href(name)),
  })),
  { key: 'fail', kind: 'action', title: 'Fail the next call…', run: () => failNext() },
  { key: 'keys', kind: 'action', title: 'Show the keys', run: () => (overlay.value = 'help') },
];

interface Section {
  page: string;
  id: string;
  title: string;
  heading: string;
}

async function readDocs(): Promise<Command[]> {
  const response = await fetch('/_control/docs/search.json');
  if (!response.ok) return [];
  return ((await response.json()) as Section[]).map(({ page, id, title, heading }) => ({
    key: `docs ${page} ${id}`,
    kind: 'docs',
    title: heading === '' ? title : `${title}: ${heading}`,
    run: () => location.assign(`/_control/docs/${page === 'index' ? '' : page}${id && `#${id}`}`),
  }));
}

/** Where people look for rows by a name. */
const SEARCHED: readonly Collection[] = [
  'organizations',
  'users',
  'connections',
  'directories',
  'clients',
  'roles',
];
const SHORTEST = 3;
const OF_EACH = 3;

async function findRows(asked: string): Promise<Command[]> {
  const text = asked.trim();
  if (text.length < SHORTEST || text.startsWith('fail ')) return [];
  if (/^req_\d+$/.test(text)) return [command('call', text, href('request', text))];
  const found = SEARCHED.map(async (collection) => {
    const rows = await environment.value.state.list(collection, { contains: text, limit: OF_EACH });
    return rows.map((row) => {
      const { id, display_name: title, name, email } = row as unknown as Record<string, unknown>;
      const address = href('row', collection, plainText(id));
      return command(collection, plainText(title ?? name ?? email ?? id), address, plainText(id));
    });
  });
  return (await Promise.all(found)).flat();
}
