import { Json } from '../parts/parts.tsx';
import { plainText } from '../../text/json.ts';

interface Sent {
  headers?: Record<string, unknown>;
  query?: Record<string, unknown>;
  body?: unknown;
  /** The beginning of a body that could not be read. */
  unread?: string;
  truncated?: number;
}

/** The request or the response of a call. */
export const Message = ({ title, message }: { title: string; message: Sent }) => {
  const { headers = {}, query = {} } = message;
  return (
    <section class="card">
      <h2>{title}</h2>
      {Object.keys(query).length > 0 && <Pairs title="Query" pairs={query} />}
      <Body title={title} message={message} />
      {Object.keys(headers).length > 0 && <Pairs title="Headers" pairs={headers} />}
    </section>
  );
};

function Body({ title, message: { body, unread, truncated } }: { title: string; message: Sent }) {
  const label = `${title} body`;
  return (
    <>
      <h3>Body</h3>
      {truncated !== undefined && (
        <p class="faint">The body is large ({truncated}): the journal has its beginning.</p>
      )}
      {unread !== undefined ? (
        <>
          <p class="faint">Understudy could not read the body. It begins with:</p>
          <Json label={label} value={unread} />
        </>
      ) : body === undefined || body === '' ? (
        <p class="faint">None.</p>
      ) : (
        <Json label={label} value={body} />
      )}
    </>
  );
}

const Pairs = ({ title, pairs }: { title: string; pairs: Record<string, unknown> }) => (
  <>
    <h3>{title}</h3>
    <dl class="pairs">
      {Object.entries(pairs).map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{plainText(value)}</dd>
        </div>
      ))}
    </dl>
  </>
);
