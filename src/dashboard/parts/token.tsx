import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { messageOf } from '../data.ts';
import { distance } from '../now.ts';
import { decode, verifySignature, type Verdict } from '../sign-in/token.ts';
import { textOf } from '../text.ts';
import { Copy } from './parts.tsx';
import { VerdictBadge } from './verdict-badge.tsx';

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
            {now !== undefined && <Said verdict={expiryOf(decoded.claims, now)} />}
            {nonce !== undefined && <Said verdict={nonceVerdict(decoded.claims, nonce)} />}
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

const Said = ({ verdict: { good, text } }: { verdict: Verdict }) => (
  <li>
    <VerdictBadge good={good} /> {text}
  </li>
);

function Signature({ token }: { token: string }) {
  const verdict = useSignal<Verdict | undefined>(undefined);
  useEffect(() => {
    const show = (known: Verdict) => (verdict.value = known);
    verifySignature(token).then(show, (thrown: unknown) => show({ good: false, text: messageOf(thrown) }));
  }, [token]);
  return verdict.value ? <Said verdict={verdict.value} /> : null;
}

function expiryOf({ exp }: Record<string, unknown>, now: number): Verdict {
  if (typeof exp !== 'number') return { good: true, text: 'It does not expire.' };
  const good = exp * 1000 > now;
  return { good, text: `It ${good ? 'expires' : 'expired'} ${distance(exp * 1000, now)}.` };
}

function nonceVerdict(claims: Record<string, unknown>, nonce: string): Verdict {
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
            {textOf(value)}
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
