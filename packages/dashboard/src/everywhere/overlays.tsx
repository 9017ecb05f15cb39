import { useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import type { Collection } from '@understudy/client/control';
import { searchFor } from '@understudy/text/words';
import { plainText } from '@understudy/text/json';
import { useCalm, useData } from '../data.ts';
import { ENTRIES } from '../navigation.ts';
import { Dialog } from '../parts/dialog.tsx';
import { Picker, type Pickable } from '../parts/picker.tsx';
import { readIndex, searchOperations } from '../reference/contract.ts';
import { go, href, withQuery } from '../route.ts';
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
  const undo = useRef(undoing()).current;
  const isWanted = searchFor(text.value.replace(/^fail /, ''));
  const isFailing = text.value.startsWith('fail ');
  const isAsked = text.value.trim() !== '';
  const operations =
    isAsked && index.value ? searchOperations(index.value, text.value.replace(/^fail /, '')) : [];
  const groups: (readonly [most: number, commands: readonly Command[]])[] = isFailing
    ? [[3 * MOST, operations.filter(({ document }) => document === 'service').map(failing)]]
    : [
        [Infinity, [...undo, ...pages].filter(({ title }) => isWanted(title))],
        [MOST, operations.map(operationCommand)],
        [
          MOST,
          (scenarios.value?.available ?? [])
            .filter(({ name, description }) => isAsked && isWanted(`${name} ${description}`))
            .map(({ name }) => command('scenario', name, href('scenarios'))),
        ],
        [Infinity, rows.value ?? []],
        [MOST, (docs.value ?? []).filter(({ title }) => isAsked && isWanted(title))],
      ];
  const found = groups.flatMap(([most, commands]) => commands.slice(0, most));
  return (
    <Dialog title="Find anything" isTitleHidden close={close}>
      <Picker
        label="Find anything"
        placeholder="A page, an operation, a scenario, a row… or: fail invite"
        text={text}
        found={found}
        more={groups.reduce((sum, [, { length }]) => sum + length, 0) - found.length}
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

/** The page offers to take back its last change. */
function undoing(): Command[] {
  const button = document.querySelector<HTMLButtonElement>('main .undo button');
  if (!button) return [];
  return [{ key: 'undo', kind: 'action', title: button.textContent.trim(), run: () => button.click() }];
}

const pages: readonly Command[] = [
  ...ENTRIES.map(([name, title]) => ({
    key: `page ${name}`,
    kind: 'page',
    title,
    run: () => go(href(name)),
  })),
  { key: 'compare', kind: 'page', title: 'Compare environments', run: () => go(href('compare')) },
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
  const response = await fetch('docs/search.json');
  if (!response.ok) return [];
  return ((await response.json()) as Section[]).map(({ page, id, title, heading }) => ({
    key: `docs ${page} ${id}`,
    kind: 'docs',
    title: heading === '' ? title : `${title}: ${heading}`,
    run: () => location.assign(`docs/${page === 'index' ? '' : page}${id && `#${id}`}`),
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
/** So many are read, because a row that is called so is better than one that has the text in an id. */
const MOST_READ = 100;

async function findRows(asked: string): Promise<Command[]> {
  const text = asked.trim();
  if (text.length < SHORTEST || text.startsWith('fail ')) return [];
  if (/^req_\d+$/.test(text)) return [command('call', text, href('request', text))];
  return (await Promise.all(SEARCHED.map((collection) => rowsWith(text, collection)))).flat();
}

async function rowsWith(text: string, collection: Collection): Promise<Command[]> {
  const read = await environment.value.state.page(collection, { contains: text, limit: MOST_READ });
  const isCalledSo = searchFor(text);
  const rows = read.rows.map((row) => {
    const { id, display_name: title, name, email } = row as unknown as Record<string, unknown>;
    return { id: plainText(id), title: plainText(title ?? name ?? email ?? id) };
  });
  const best = [
    ...rows.filter(({ title }) => isCalledSo(title)),
    ...rows.filter(({ title }) => !isCalledSo(title)),
  ];
  const all = withQuery(href('state', collection), { contains: text });
  return [
    ...best
      .slice(0, OF_EACH)
      .map(({ id, title }) => command(collection, title, href('row', collection, id), id)),
    ...(read.total > OF_EACH
      ? [command(collection, `All ${read.total.toLocaleString('en')} with this text`, all)]
      : []),
  ];
}
