import { COLLECTIONS } from '@understudy/core/state/schema';
import {
  anything,
  either,
  flag,
  integer,
  list,
  map,
  number,
  object,
  oneOf,
  text,
  tuple,
  type Check,
} from './check.ts';
import { FORMAT, LIMITS } from './format.ts';

const COUNT = integer(0, 2 ** 40);
/** Until the year 9000, as clocks go. */
const TIME = integer(0, 221_845_392_000_000);
const WORD = integer(-(2 ** 31), 2 ** 32);
const NAME = text(1000, /^[^/\\]*$/);
const LONG = text(2_000_000);

const generator = object({ last: text(30, /^\d+$/), random: tuple(WORD, WORD, WORD, WORD) });

const clock = object({
  mode: oneOf('real', 'frozen', 'offset'),
  'at?': text(40, /^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
  'offset_ms?': integer(-221_845_392_000_000, 221_845_392_000_000),
});

const counted = object({ since: COUNT, calls: COUNT });

/** What the contract says about rows is checked later. */
const row = object({ id: text(1000) }, true);

const rows: Check = map(list(row, LIMITS.rows), COLLECTIONS.length, /^[a-z_]+$/);

const change = object({
  collection: oneOf(...COLLECTIONS),
  id: text(1000),
  row: either(oneOf(null), row),
});

const commit = object({
  time: TIME,
  generator,
  'call?': COUNT,
  'base?': rows,
  changes: list(change, LIMITS.rows),
});

const surroundings = { position: COUNT, generator, clock, counted, scenarios: integer(0, LIMITS.commits) };

const copy = object({
  file: NAME,
  'text?': LONG,
  values: map(anything, 1000),
  areTexts: flag,
  texts: object({
    files: map(LONG, 1000),
    included: map(NAME, 1000, /^\["?[^/\\]*\]$/),
  }),
});

const state = object({
  loaded: list(
    object({ id: NAME, copy: integer(0, LIMITS.scenarios - 1), 'clock?': clock }),
    LIMITS.scenarios,
  ),
  count: COUNT,
  counts: list(tuple(NAME, COUNT, COUNT, COUNT), 100_000),
  images: list(
    object({ owner: NAME, collection: oneOf(...COLLECTIONS), id: text(1000), index: COUNT, 'before?': row }),
    LIMITS.rows,
  ),
});

const texts = map(either(text(1_000_000), list(text(1_000_000), 1000)), 1000, /^[^\n]*$/);
const ids = list(text(100, /^req_\d+$/), 10_000);
const openList = list(object({}, true), 10_000);

const moment = object({ position: COUNT, surroundings: COUNT });

/** What is shown of a call is checked later, by the contract of the control API. */
const call = object({
  number: integer(1, 2 ** 31),
  time: TIME,
  protocol: text(50),
  method: text(20, /^[A-Za-z]+$/),
  path: text(100_000, /^\//),
  'madeBy?': text(100, /^req_\d+$/),
  query: texts,
  headers: texts,
  requestSize: COUNT,
  'operation?': text(200, /^\w+$/),
  'binding?': text(200, /^\w+$/),
  'caller?': object({ client_id: text(200), 'subject?': text(1000), 'directory_id?': text(200) }),
  'body?': anything,
  'unread?': LONG,
  'response?': LONG,
  'refusal?': object({ message: LONG }, true),
  'fault?': object({}, true),
  'shortPatch?': openList,
  'status?': integer(0, 999),
  'replyHeaders?': texts,
  'replyText?': LONG,
  replySize: COUNT,
  'violated?': flag,
  duration: number,
  size: COUNT,
  began: number,
  'violations?': openList,
  'unknown?': list(object({ field: text(10_000), name: text(10_000) }), 10_000),
  'interceptors?': list(object({ shown: object({}, true), size: COUNT }), 1000),
  'calls?': ids,
  'notes?': list(LONG, 1000),
  'rules?': list(text(200, /^[\w/-]+$/), 1000),
  'providers?': list(
    object({ shown: object({}, true), credentials: list(text(1000), 100), size: COUNT }),
    1000,
  ),
  'decision?': object({}, true),
  'cause?': LONG,
  'start?': moment,
  'end?': moment,
});

/** The form of version 1. */
export const bundleShape: Check = object({
  format: oneOf(FORMAT),
  version: integer(1, 1_000_000),
  understudy: text(100),
  node: text(100),
  made: text(40),
  'test?': object({ test: text(1000), 'file?': text(1000), 'failure?': text(10_000) }),
  environment: object({
    name: text(40, /^[a-z0-9]([a-z0-9-]{0,38}[a-z0-9])?$/),
    base_url: text(2000, /^https?:\/\/[^\s"<>]+$/),
    client_id: text(200),
    seed: integer(0, Number.MAX_SAFE_INTEGER),
    generation: COUNT,
    'strict?': flag,
    clock,
  }),
  start: object({ rows, ...surroundings }),
  commits: list(commit, LIMITS.commits),
  surroundings: list(object(surroundings), LIMITS.commits),
  scenarios: object({ copies: list(copy, LIMITS.scenarios), states: list(state, LIMITS.commits) }),
  calls: list(call, LIMITS.calls),
  stand_ins: list(text(200_000), LIMITS.standIns),
});
