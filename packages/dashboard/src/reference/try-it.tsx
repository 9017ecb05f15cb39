import { signal, useSignal, type Signal } from '@preact/signals';
import type { ParameterPart, ReferenceOperation } from '../server/reference/shapes.ts';
import { serviceUrl } from '../browser.ts';
import { useAction } from '../data.ts';
import { Suggestion } from '../parts/fields.tsx';
import { Badge, Complaint, Do, Field, Json, statusKind } from '../parts/parts.tsx';
import { environmentName, href } from '../route.ts';
import { environment, ownToken, token } from '../session.ts';
import {
  bodyOf,
  bodyText,
  choicesOf,
  examplesOf,
  fillable,
  sampleOf,
  type Given,
  type Sample,
} from './sample.ts';
import type { SuggestedId } from './suggestions.ts';

/** What the reader has filled in. */
export interface Filled {
  given: Signal<Given>;
  body: Signal<string | undefined>;
}

interface TryItProps extends Filled {
  operation: ReferenceOperation;
  suggested: Readonly<Record<string, SuggestedId[]>>;
}

interface Answer {
  status: number;
  /** In milliseconds. */
  lasted: number;
  text: string;
  /** The entry of the journal; absent for calls of the control API. */
  request: string | undefined;
}

/** Makes the call from here, as the environment's own client. */
export function TryIt({ operation, suggested, given, body }: TryItProps) {
  const action = useAction();
  const answer = useSignal<Answer | undefined>(undefined);
  const media = bodyOf(operation)?.media;
  const examples = Object.entries(media ? examplesOf(media) : {});
  const send = async () => {
    answer.value = undefined;
    answer.value = await sent(operation, sampleOf(operation, given.value, body.value));
  };
  return (
    <section class="card" aria-label="Try it">
      <h2>Try it</h2>
      {operation.document === 'service' && operation.secured && (
        <p class="faint">The call gets a token of the environment {environmentName.value}.</p>
      )}
      {fillable(operation).map((parameter) => (
        <ParameterField
          key={parameter.name}
          parameter={parameter}
          given={given}
          suggested={suggested[parameter.name] ?? []}
        />
      ))}
      {examples.length > 1 && (
        <div class="actions below" role="group" aria-label="Examples of the body">
          {examples.map(([name, value]) => (
            <button key={name} type="button" onClick={() => (body.value = bodyText(value))}>
              {name}
            </button>
          ))}
        </div>
      )}
      {media && (
        <Field
          label={`Body (${bodyOf(operation)!.type})`}
          rows={Math.min(16, (body.value ?? '').split('\n').length + 1)}
          value={body.value ?? ''}
          onInput={(text) => (body.value = text === '' ? undefined : text)}
        />
      )}
      <Complaint of={action.error.value} />
      <Do action={action} kind="main" run={send}>
        Send the call
      </Do>
      {answer.value && <Answered answer={answer.value} />}
    </section>
  );
}

interface ParameterFieldProps {
  parameter: ParameterPart;
  given: Signal<Given>;
  suggested: readonly SuggestedId[];
}

function ParameterField({
  parameter: { name, required, description, schema },
  given,
  suggested,
}: ParameterFieldProps) {
  const words = choicesOf(schema ?? {});
  const shared = {
    label: required ? `${name} (required)` : name,
    hint: description?.replaceAll('`', ''),
    value: given.value[name] ?? '',
    onInput: (value: string) => (given.value = { ...given.value, [name]: value }),
  };
  if (suggested.length > 0) return <Suggestion {...shared} suggestions={suggested.map(({ id }) => id)} />;
  return (
    <Field {...shared} list={words.length > 0 ? ['', ...words.filter((word) => word !== '')] : undefined} />
  );
}

/** An answer that goes on, such as a stream of events, is cut off. In milliseconds. */
const LONGEST = 10_000;
const MOST_SHOWN = 20_000;

async function sent({ document, secured }: ReferenceOperation, sample: Sample): Promise<Answer> {
  if (sample.target.includes('{')) throw new Error('A parameter of the path has no value.');
  const isService = document === 'service';
  const headers = new Headers(isService ? { 'understudy-environment': environment.value.name } : {});
  const bearer = isService ? secured && (await ownToken(await environment.value.get())) : token.value;
  if (bearer) headers.set('authorization', `Bearer ${bearer}`);
  if (sample.type !== undefined) headers.set('content-type', sample.type);
  const begunAt = performance.now();
  const response = await fetch(serviceUrl() + sample.target, {
    method: sample.method,
    headers,
    redirect: 'manual',
    signal: AbortSignal.timeout(LONGEST),
    ...(sample.body !== undefined && { body: sample.body }),
  });
  const text = await response.text().catch(() => 'The answer did not end within ten seconds.');
  return {
    status: response.status,
    lasted: performance.now() - begunAt,
    text: text.length > MOST_SHOWN ? `${text.slice(0, MOST_SHOWN)}…` : indented(text),
    request: response.headers.get('understudy-request-id') ?? undefined,
  };
}

function indented(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

const Answered = ({ answer: { status, lasted, text, request } }: { answer: Answer }) => (
  <div class="answer" role="status">
    <p>
      <Badge kind={statusKind(status || 302)}>{status || 'a redirect'}</Badge>{' '}
      <span class="faint">{lasted.toFixed(0)} ms</span>{' '}
      {request === undefined ? null : <a href={href('request', request)}>Why this answer ({request})</a>}
      {status === 0 && (
        <>
          Browsers hide redirects from pages: <a href={href('requests')}>Requests</a> has the answer.
        </>
      )}
    </p>
    {text !== '' && <Json value={text} label="Answer" />}
  </div>
);

/** The language of the examples stays while the reader goes from one operation to the next. */
export const language = signal<string>('Node');
