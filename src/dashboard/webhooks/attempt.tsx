import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { WebhookDelivery, WebhookEndpoint } from '../../client/control.ts';
import { Badge, Json, Time, ValidBadge } from '../parts/parts.tsx';
import { href } from '../route.ts';
import { check, type Attempt, type Checked } from './signature.ts';

interface AttemptProps {
  attempt: Attempt;
  delivery: WebhookDelivery;
  endpoint: WebhookEndpoint | undefined;
  /** From 1. */
  number: number;
  /** Whether the clock of the environment shows the time of the machine. */
  followsMachine: boolean;
}

/** One attempt: what the receiver answered, and whether the signature is right. */
export function OneAttempt({ attempt, delivery, endpoint, number, followsMachine }: AttemptProps) {
  const { time, status, error, answer, duration_ms, scenario, is_duplicate, payload } = attempt;
  return (
    <li class="attempt">
      <p>
        <Badge kind={status !== undefined && status < 300 ? 'good' : 'bad'}>{status ?? 'no answer'}</Badge>{' '}
        <Time at={time} /> <span class="faint">{duration_ms} ms</span> {error}{' '}
        {is_duplicate && <Badge kind="note">sent twice</Badge>}{' '}
        {scenario && (
          <a href={href('scenarios')}>
            {scenario.name}, rule {scenario.rule + 1}
          </a>
        )}
      </p>
      {answer !== undefined && answer !== '' && <Json label={`Answer to attempt ${number}`} value={answer} />}
      {payload !== undefined && <Json label={`Payload of attempt ${number}`} value={payload} />}
      {endpoint && <Signature {...{ attempt, delivery, endpoint, followsMachine }} />}
    </li>
  );
}

interface SignatureProps {
  attempt: Attempt;
  delivery: WebhookDelivery;
  endpoint: WebhookEndpoint;
  followsMachine: boolean;
}

function Signature({ attempt, delivery, endpoint, followsMachine }: SignatureProps) {
  const checked = useSignal<Checked | undefined>(undefined);
  useEffect(() => {
    void check(attempt, delivery, endpoint, followsMachine).then((known) => (checked.value = known));
  }, [attempt, endpoint.secret, followsMachine]);
  if (!checked.value) return null;
  const { steps, good, text } = checked.value;
  return (
    <details class="signature">
      <summary>
        <ValidBadge good={good} /> {text}
      </summary>
      <dl class="pairs">
        {steps.map(({ name, value }) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>
              <code>{value}</code>
            </dd>
          </div>
        ))}
      </dl>
    </details>
  );
}
