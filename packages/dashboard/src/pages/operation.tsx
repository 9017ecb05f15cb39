import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { BodyPart, ParameterPart, ReferenceOperation } from '../server/reference/shapes.ts';
import { useData } from '../data.ts';
import { useDraft } from '../drafts.ts';
import { Badge, Complaint, Copy, Empty, Heading, Json, Prose } from '../parts/parts.tsx';
import { CodeExamples } from '../reference/code-examples.tsx';
import { readOperation, searched } from '../reference/contract.ts';
import { EvidenceText } from '../reference/evidence.tsx';
import { LatestCalls, ScenariosOf } from '../reference/facts.tsx';
import {
  bodyOf,
  bodyText,
  choicesOf,
  examplesOf,
  fillable,
  parameterSample,
  type Given,
} from '../reference/sample.ts';
import { kindOf, SchemaTree } from '../reference/schema-tree.tsx';
import { suggestIds, withFirst, type SuggestedId } from '../reference/suggestions.ts';
import { TryIt } from '../reference/try-it.tsx';
import { environmentName, href, route, withQuery } from '../route.ts';
import { failNext } from '../scenarios/failures.ts';
import { connection } from '../session.ts';

/** One operation of the contract: what it takes, answers and does, and a form that calls it. */
export function OperationPage() {
  const id = route.value.id ?? '';
  const { value, error } = useData(() => readOperation(id), ['none'], id);
  return (
    <>
      <p class="back">
        <a href={withQuery(href('reference'), { find: searched.value })}>API reference</a>
      </p>
      <Complaint of={error} />
      {!value && <Heading title={id} />}
      {value && <Shown key={`${environmentName.value} ${id}`} operation={value} />}
    </>
  );
}

interface OfOperation {
  operation: ReferenceOperation;
}

function Shown({ operation }: OfOperation) {
  const { given, body, suggested } = useFilled(operation);
  const { summary, description, addresses, id, tag, evidence, document } = operation;
  return (
    <>
      <Heading title={summary}>
        {document === 'service' && (
          <button type="button" onClick={() => failNext(id)}>
            Fail the next call…
          </button>
        )}
        <Copy text={id}>Copy the name</Copy>
      </Heading>
      <ul class="plain addresses">
        {addresses.map(({ method, path }) => (
          <li key={`${method} ${path}`}>
            <code>
              {method} {path}
            </code>
          </li>
        ))}
      </ul>
      <p class="facts">
        {id} · {tag} · {document === 'service' ? 'the service' : 'the control API'}
        {!operation.secured && ' · needs no token'}
      </p>
      <p>
        <Prose text={description} />
      </p>
      <div class="columns">
        <div>
          <Parameters operation={operation} />
          <Request operation={operation} />
          <Answers operation={operation} isFailure={false} />
          <Answers operation={operation} isFailure />
          {evidence && (
            <section class="card" aria-label="Evidence">
              <h2>How faithful is it?</h2>
              <EvidenceText evidence={evidence} />
            </section>
          )}
        </div>
        <div>
          <CodeExamples operation={operation} given={given} body={body} />
          <TryIt operation={operation} given={given} body={body} suggested={suggested} />
          {document === 'service' && (
            <>
              <LatestCalls operation={operation} />
              <ScenariosOf operation={operation} />
            </>
          )}
        </div>
      </div>
    </>
  );
}

/** The values of the form: the examples of the contract first, then ids of rows that the environment has. */
function useFilled(operation: ReferenceOperation) {
  const media = bodyOf(operation)?.media;
  const [example] = Object.values(media ? examplesOf(media) : {});
  const samples = fillable(operation).flatMap((each) => {
    const sample = each.required || each.in === 'path' ? parameterSample(each) : undefined;
    return sample === undefined ? [] : [[each.name, sample] as const];
  });
  const given = useDraft<Given>(`call ${operation.id}`, {
    ...Object.fromEntries(samples),
    environment: environmentName.value,
  });
  const body = useDraft(`body of ${operation.id}`, example === undefined ? undefined : bodyText(example));
  const suggested = useSignal<Record<string, SuggestedId[]>>({});
  const isLocked = connection.value === 'locked';
  useEffect(() => {
    if (isLocked) return;
    void suggestIds(operation).then(
      (found) => {
        suggested.value = found;
        given.value = withFirst(given.peek(), found);
      },
      () => undefined, // The form works without suggestions.
    );
  }, [isLocked]);
  return { given, body, suggested: suggested.value };
}

function Parameters({ operation }: OfOperation) {
  const { parameters } = operation;
  if (parameters.length === 0) return null;
  return (
    <section class="card" aria-label="Parameters">
      <h2>Parameters</h2>
      <ul class="plain fields">
        {parameters.map((each) => (
          <ParameterLine key={`${each.in} ${each.name}`} parameter={each} />
        ))}
      </ul>
    </section>
  );
}

function ParameterLine({ parameter }: { parameter: ParameterPart }) {
  const { name, in: place, required, description, schema = {} } = parameter;
  const choices = choicesOf(schema);
  return (
    <li>
      <code class="name">{name}</code>{' '}
      <span class="faint">
        {place}, {kindOf(schema)}
      </span>
      {required && <span class="required"> required</span>}
      <div class="about">
        {description !== undefined && <Prose text={description} />}
        {choices.length > 0 && (
          <small class="faint rules">
            one of <code>{choices.join(', ')}</code>
          </small>
        )}
      </div>
    </li>
  );
}

function Request({ operation }: OfOperation) {
  const { body } = operation;
  if (!body) return null;
  return (
    <section class="card" aria-label="Body of the request">
      <h2>Body of the request</h2>
      <Content part={body} of="the request" operation={operation} />
    </section>
  );
}

function Answers({ operation, isFailure }: OfOperation & { isFailure: boolean }) {
  const shown = Object.entries(operation.responses).filter(([status]) => Number(status) >= 400 === isFailure);
  if (shown.length === 0) return null;
  const title = isFailure ? 'Errors' : 'Answers';
  return (
    <section class="card" aria-label={title}>
      <h2>{title}</h2>
      {shown.map(([status, response]) => (
        <details key={status} class="asked" open={!isFailure}>
          <summary>
            <Badge kind={isFailure ? 'bad' : 'good'}>{status}</Badge>{' '}
            <Prose text={response.description ?? ''} />
          </summary>
          <Content part={response} of={`the answer ${status}`} operation={operation} />
        </details>
      ))}
    </section>
  );
}

/** The schema of each media type, with the examples below it. */
function Content({ part, of, operation }: OfOperation & { part: BodyPart; of: string }) {
  const { schemas, document } = operation;
  const content = Object.entries(part.content ?? {});
  if (content.length === 0) return <Empty>No body.</Empty>;
  return (
    <>
      {content.map(([type, media]) => (
        <div key={type}>
          <p class="faint">{type}</p>
          {media.schema && <SchemaTree schema={media.schema} schemas={schemas} document={document} />}
          {Object.entries(examplesOf(media)).map(([name, value]) => (
            <details key={name}>
              <summary>{name === 'example' ? 'Example' : `Example: ${name}`}</summary>
              <Json
                value={value}
                label={name === 'example' ? `Example of ${of}` : `Example of ${of}: ${name}`}
              />
            </details>
          ))}
        </div>
      ))}
    </>
  );
}
