import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { messageOf } from '../data.ts';
import { distance } from '../now.ts';
import { decode, verifySignature, type CheckResult } from '../sign-in/authorize.ts';
import { plainText } from '@understudy/text/json';
import { Copy, ValidBadge } from './parts.tsx';

/** Claims that are times in seconds. */
const TIMES = new Set(['exp', 'iat', 'nbf', 'auth_time']);

interface TokenProps {
  title: string;
  token: string;
  /** The time of the environment. */
  now: number | undefined;
  /** The nonce of the sign-in that brought an ID token. */
  nonce?: string | undefined;
}

/** A token: who signed it, whether it counts, and what is in it. */
export function Token({ title, token, now, nonce }: TokenProps) {
  const decoded = decode(token);
  return (
    <section class="card token">
      <div class="bar">
        <h2>{title}</h2>
        <Copy text={token}>Copy</Copy>
      </div>
      {decoded ? (
        <>
          <ul class="plain">
            <Signature token={token} />
            {now !== undefined && <Checked result={checkExpiry(decoded.claims, now)} />}
            {nonce !== undefined && <Checked result={checkNonce(decoded.claims, nonce)} />}
          </ul>
          <Members title="Header" members={decoded.header} now={now} />
          <Members title="Claims" members={decoded.claims} now={now} />
        </>
      ) : (
        <p class="faint">This token is not a JWT. Only the service can read it.</p>
      )}
      <details>
        <summary>As it was sent</summary>
        <pre tabIndex={0} role="region" aria-label={`${title} as it was sent`}>
          {token}
        </pre>
      </details>
    </section>
  );
}

const Checked = ({ result: { good, text } }: { result: CheckResult }) => (
  <li>
    <ValidBadge good={good} /> {text}
  </li>
);

function Signature({ token }: { token: string }) {
  const result = useSignal<CheckResult | undefined>(undefined);
  useEffect(() => {
    const show = (known: CheckResult) => (result.value = known);
    verifySignature(token).then(show, (thrown: unknown) => show({ good: false, text: messageOf(thrown) }));
  }, [token]);
  return result.value ? <Checked result={result.value} /> : null;
}

function checkExpiry({ exp }: Record<string, unknown>, now: number): CheckResult {
  if (typeof exp !== 'number') return { good: true, text: 'It does not expire.' };
  const good = exp * 1000 > now;
  return { good, text: `It ${good ? 'expires' : 'expired'} ${distance(exp * 1000, now)}.` };
}

function checkNonce(claims: Record<string, unknown>, nonce: string): CheckResult {
  const good = claims['nonce'] === nonce;
  return {
    good,
    text: good ? 'It has the nonce of the sign-in.' : 'It does not have the nonce of the sign-in.',
  };
}

interface MembersProps {
  title: string;
  members: Record<string, unknown>;
  now: number | undefined;
}

const Members = ({ title, members, now }: MembersProps) => (
  <>
    <h3>{title}</h3>
    <dl class="pairs">
      {Object.entries(members).map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>
            {plainText(value)}
            {TIMES.has(name) && typeof value === 'number' && now !== undefined && (
              <span class="faint">
                {' '}
                {new Date(value * 1000).toISOString().slice(0, 19).replace('T', ' ')} ·{' '}
                {distance(value * 1000, now)}
              </span>
            )}
          </dd>
        </div>
      ))}
    </dl>
  </>
);
