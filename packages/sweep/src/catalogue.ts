import type { Injection, SentCall } from './runs/watched-service.ts';
import type { Target } from './target.ts';

/** Who causes the failure. */
type Blamed = 'service' | 'network' | 'credentials' | 'data' | 'webhooks' | 'clock';

/** A failure that a call, or the delivery of an event, can have. */
export interface Failure {
  name: string;
  blames: Blamed;
  /** Why a client should care. */
  why: string;
  /** How verdicts look at it. */
  kind: FailureKind;
  /** The service promises that a client gets through this, so a test that fails shows a fault. */
  isSurvivable?: true;
  /** Undefined if the target cannot have the failure. */
  at: (target: Target) => Injection | undefined;
  /** The same with a known bad value: what differs then shows that the application looks at the value. */
  control?: (target: Target) => Injection | undefined;
}

/**
 * What has happened to the call: `refused`: nothing; `lost`: it was done, and the caller did not get the answer; `changed`: the
 * caller got another answer. `late`: the answer takes too long.
 */
type FailureKind =
  | 'refused'
  | 'limited'
  | 'lost'
  | 'late'
  | 'changed'
  | 'unknown value'
  | 'more pages'
  | 'expired'
  | 'twice'
  | 'badly signed'
  | 'delivery'
  | 'clock';

/** Longer than an application should wait for an answer. */
const TOO_LONG = '20s';
/** So many calls fail in an outage: more than a patient client makes at once. */
const OUTAGE = 8;

const once = ({ operation, nth }: Target, action: object): Injection => ({
  rule: { on: operation, after: nth, times: 1, ...action },
});

const always =
  (action: object) =>
  (target: Target): Injection | undefined =>
    target.call && once(target, action);

const ifWriting = (action: object) => (target: Target) =>
  target.call && target.call.writes.length > 0 ? once(target, action) : undefined;

const onDelivery = (deliver: object) => (target: Target) =>
  target.event === undefined ? undefined : once(target, { deliver });

const clockAt = (offset: string) => (target: Target) =>
  target.issuesTokens && target.nth === 0
    ? { clock: { mode: 'offset', offset }, ...once(target, { fault: { delay: '1ms' } }) }
    : undefined;

const EXPIRED = { error: 'unauthenticated', message: 'token is expired' };

const refuseToken = ({ headers }: SentCall): object => ({
  on: '*Service_*',
  when: { headers: { authorization: { equals: String(headers['authorization']) } } },
  reply: EXPIRED,
});

/** The most telling first. */
export const CATALOGUE: readonly Failure[] = [
  {
    name: 'answer-lost',
    blames: 'network',
    why: 'the call was carried out, and the caller hears 503: to repeat it may do everything twice',
    kind: 'lost',
    at: ifWriting({ fault: { lose: true } }),
  },
  {
    name: 'rate-limited',
    blames: 'service',
    why: 'every API limits its callers; 429 with Retry-After says when to try again',
    kind: 'limited',
    isSurvivable: true,
    at: always({ reply: { error: 'rate_limited', headers: { 'retry-after': '1' } } }),
  },
  {
    name: 'slow',
    blames: 'network',
    why: `an answer that takes ${TOO_LONG} blocks a caller without a time limit, and those who wait for it`,
    kind: 'late',
    at: always({ fault: { delay: TOO_LONG } }),
  },
  {
    name: 'token-expired',
    blames: 'credentials',
    why: 'access tokens expire in the middle of the work; a new one is one call away',
    kind: 'expired',
    isSurvivable: true,
    at: (target) =>
      target.call?.token === undefined
        ? undefined
        : { ...once(target, { reply: EXPIRED }), after: refuseToken },
  },
  {
    name: 'webhook-twice',
    blames: 'webhooks',
    why: 'webhooks arrive at least once; the same webhook-id may come again',
    kind: 'twice',
    isSurvivable: true,
    at: onDelivery({ duplicate: 1 }),
  },
  {
    name: 'unknown-value',
    blames: 'data',
    why: 'services add values to their enums; a client must not take one that it does not know for success',
    kind: 'unknown value',
    at: (target) => patchOf(target, target.status?.patch('UNDERSTUDY_UNKNOWN')),
    control: ({ status, ...target }) =>
      patchOf(target, status?.other === undefined ? undefined : status.patch(status.other)),
  },
  {
    name: 'more-pages',
    blames: 'data',
    why: 'lists grow; who reads the first page alone loses the rest',
    kind: 'more pages',
    isSurvivable: true,
    at: (target) => {
      if (!target.isPagedList || target.nth > 0) return undefined;
      const setting = { settings: [{ match: { id: 'settings' }, set: { default_page_size: 1 } }] };
      return once(target, { do: setting });
    },
  },
  {
    name: 'unavailable',
    blames: 'service',
    why: '503 for a moment, as in a deployment',
    kind: 'refused',
    at: always({ reply: { error: 'unavailable' } }),
  },
  {
    name: 'outage',
    blames: 'service',
    why: `503 for ${OUTAGE} calls: callers who do not pause make it last longer`,
    kind: 'limited',
    at: (target) => target.call && once(target, { times: OUTAGE, reply: { error: 'unavailable' } }),
  },
  {
    name: 'dropped-after',
    blames: 'network',
    why: 'the connection ends within the answer: the call was carried out',
    kind: 'lost',
    at: ifWriting({ fault: { disconnect: 'middle' } }),
  },
  {
    name: 'dropped-before',
    blames: 'network',
    why: 'the connection ends without an answer: nothing was done',
    kind: 'refused',
    at: always({ fault: { disconnect: 'before' } }),
  },
  {
    name: 'connection-reset',
    blames: 'network',
    why: 'the other side resets the connection, as a proxy does that restarts',
    kind: 'refused',
    at: always({ fault: { disconnect: 'reset' } }),
  },
  {
    name: 'internal-error',
    blames: 'service',
    why: '500: nothing was done',
    kind: 'refused',
    at: always({ reply: { error: 'internal' } }),
  },
  {
    name: 'rate-limited-silently',
    blames: 'service',
    why: '429 without Retry-After: the client must choose a pause',
    kind: 'limited',
    at: always({ reply: { error: 'rate_limited' } }),
  },
  {
    name: 'deadline-exceeded',
    blames: 'service',
    why: '504: a system behind the service did not answer in time',
    kind: 'refused',
    at: always({ reply: { error: 'deadline_exceeded' } }),
  },
  {
    name: 'truncated',
    blames: 'network',
    why: 'the body ends after 20 bytes: a client must not take the beginning for the whole',
    kind: 'lost',
    at: always({ fault: { truncate: 20 } }),
  },
  {
    name: 'row-vanished',
    blames: 'data',
    why: 'somebody else has deleted what the call names',
    kind: 'changed',
    at: (target) =>
      patchOf(
        target,
        undefined,
        target.row && { [target.row.collection]: [{ delete: { match: { id: target.row.id } } }] },
      ),
  },
  {
    name: 'row-changed',
    blames: 'data',
    why: 'somebody else has renamed what the call names since the application read it',
    kind: 'changed',
    at: (target) =>
      patchOf(
        target,
        undefined,
        target.row?.field === undefined
          ? undefined
          : {
              [target.row.collection]: [
                { match: { id: target.row.id }, set: { [target.row.field]: 'Changed meanwhile' } },
              ],
            },
      ),
  },
  {
    name: 'unknown-field',
    blames: 'data',
    why: 'services add fields to their answers; a client must ignore those that it does not know',
    kind: 'changed',
    isSurvivable: true,
    at: (target) => (target.isJson ? patchOf(target, { understudy_new_field: 'new' }) : undefined),
  },
  {
    name: 'webhook-badly-signed',
    blames: 'webhooks',
    why: 'anybody can call the address of a webhook; only the signature shows who it was',
    kind: 'badly signed',
    at: onDelivery({ signature: 'wrong' }),
  },
  {
    name: 'webhook-late',
    blames: 'webhooks',
    why: 'an event arrives seconds after the change that it reports',
    kind: 'delivery',
    at: onDelivery({ delay: '2s' }),
  },
  {
    name: 'webhook-out-of-order',
    blames: 'webhooks',
    why: 'an event arrives after the one that followed it',
    kind: 'delivery',
    at: (target) => (target.hasLaterEvent ? onDelivery({ hold: 1 })(target) : undefined),
  },
  {
    name: 'clock-ahead',
    blames: 'clock',
    why: 'the clock of the service is a minute ahead, so a new token seems to come from the future',
    kind: 'clock',
    at: clockAt('+1m'),
  },
  {
    name: 'clock-behind',
    blames: 'clock',
    why: 'the clock of the service is a minute behind',
    kind: 'clock',
    at: clockAt('-1m'),
  },
];

/** Changes rows before the operation, and its answer. */
function patchOf(target: Target, patch: object | undefined, changes?: object): Injection | undefined {
  if (!target.call || (patch === undefined && changes === undefined)) return undefined;
  const action = changes ? { do: changes } : { patch, contract: 'violated' };
  return once(target, action);
}
