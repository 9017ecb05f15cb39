import { useEffect } from 'preact/hooks';
import type { DocumentName, IndexedOperation, ReferenceIndex } from '../server/reference/shapes.ts';
import { useData } from '../data.ts';
import { Search } from '../parts/fields.tsx';
import { Complaint, Empty, Heading } from '../parts/parts.tsx';
import { useQueryText } from '../parts/query-text.ts';
import { readIndex, searched, searchOperations } from '../reference/contract.ts';
import { href, route } from '../route.ts';

const MOST_FOUND = 60;

/** The operations of the service and of the control API, by what they are about, with a search over all words of the contract. */
export function ReferencePage() {
  const { value: index, error } = useData(readIndex, ['none']);
  const text = useQueryText('find');
  const asked = route.value.query.get('find') ?? '';
  useEffect(() => void (searched.value = asked), [asked]);
  return (
    <>
      <Heading title="API reference" />
      <p class="faint">
        What can be called, and what it does. The whole documents are at{' '}
        <a href="../openapi.json">/openapi.json</a> (the service) and{' '}
        <a href="v1/openapi.json">/_control/v1/openapi.json</a> (the control API).
      </p>
      <Complaint of={error} />
      <div class="filter" role="search">
        <Search
          label="Find operations"
          placeholder="Words, a path or a field: invite, /sessions, external_id"
          text={text}
        />
      </div>
      {index && (asked.trim() === '' ? <Groups index={index} /> : <Results index={index} asked={asked} />)}
    </>
  );
}

function Results({ index, asked }: { index: ReferenceIndex; asked: string }) {
  const found = searchOperations(index, asked);
  return (
    <section class="card" aria-label="Found">
      <p class="faint" role="status">
        {found.length === 1 ? '1 operation' : `${found.length} operations`} with “{asked.trim()}”
        {found.length > MOST_FOUND && `: the best ${MOST_FOUND}`}
      </p>
      {found.length === 0 && <Empty>Try fewer words, or a part of a path or of a field.</Empty>}
      <Lines operations={found.slice(0, MOST_FOUND)} />
    </section>
  );
}

const TITLES: readonly (readonly [DocumentName, string])[] = [
  ['service', 'The service'],
  ['control', 'The control API'],
];

const Groups = ({ index }: { index: ReferenceIndex }) => (
  <>
    {TITLES.map(([document, title]) => (
      <section key={document} class="card" aria-label={title}>
        <h2>{title}</h2>
        {[...groupsOf(index, document)].map(([tag, operations]) => (
          <details key={tag} class="asked">
            <summary>
              <strong>{tag}</strong> <span class="faint">{operations.length}</span>{' '}
              <span class="faint">{index.tags[tag]}</span>
            </summary>
            <Lines operations={operations} />
          </details>
        ))}
      </section>
    ))}
  </>
);

/** In the order of the tags in the document. */
function groupsOf({ operations, tags }: ReferenceIndex, document: DocumentName) {
  const own = operations.filter((each) => each.document === document);
  const groups = new Map<string, IndexedOperation[]>(Object.keys(tags).map((tag) => [tag, []]));
  for (const each of own) groups.set(each.tag, [...(groups.get(each.tag) ?? []), each]);
  return [...groups].filter(([, list]) => list.length > 0);
}

const Lines = ({ operations }: { operations: readonly IndexedOperation[] }) => (
  <ul class="plain rows operations">
    {operations.map(({ id, summary, method, path }) => (
      <li key={id}>
        <a href={href('operation', id)}>{summary}</a>{' '}
        <code class="faint">
          {method} {path}
        </code>
      </li>
    ))}
  </ul>
);
