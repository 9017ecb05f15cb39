import { invalidArgument } from '@understudy/core/contract/errors';
import { isObject, plainText } from '@understudy/text/json';
import type { RecordData } from './account-records.ts';

/** A message of a mailbox, as Gmail's API shows it. */
interface Mail {
  headers: { name: string; value: string }[];
  labels: string[];
  filenames: string[];
  text: string;
  size: number;
  ms: number;
}

type Test = (mail: Mail) => boolean;

const LONGEST_QUERY = 1000;

/** The messages that Gmail's search box finds. Dates are UTC. `now` is in milliseconds since 1970. */
export function mailSearch(query: string, now: number): (data: RecordData) => boolean {
  if (query.length > LONGEST_QUERY)
    throw invalidArgument(`query has ${query.length} characters: at most ${LONGEST_QUERY}`);
  const test = all(new QueryReader(query, now).tests());
  return (data) => test(mailOf(data));
}

const all =
  (tests: readonly Test[]): Test =>
  (mail) =>
    tests.every((test) => test(mail));

const any =
  (tests: readonly Test[]): Test =>
  (mail) =>
    tests.some((test) => test(mail));

const not =
  (test: Test): Test =>
  (mail) =>
    !test(mail);

const TOKEN = /"([^"]*)"?|[(){}|]|-(?=\S)|(\w+):|[^\s(){}|"]+/g;

/** Reads a query. `OR` binds closer than the space between two words, as Gmail documents it. */
class QueryReader {
  readonly #tokens: RegExpExecArray[];
  readonly #now: number;
  #next = 0;

  constructor(query: string, now: number) {
    this.#tokens = [...query.toLowerCase().matchAll(TOKEN)];
    this.#now = now;
  }

  tests(end?: string, operator = ''): Test[] {
    const tests: Test[] = [];
    while (this.#next < this.#tokens.length && !this.#take(end)) tests.push(this.#alternatives(operator));
    return tests;
  }

  #alternatives(operator: string): Test {
    const tests = [this.#one(operator)];
    while (this.#take('or') || this.#take('|')) tests.push(this.#one(operator));
    return any(tests);
  }

  #one(operator: string): Test {
    const [token = '', phrase, name] = this.#tokens[this.#next++] ?? [];
    if (token === '-') return not(this.#one(operator));
    if (token === '(') return all(this.tests(')', operator));
    if (token === '{') return any(this.tests('}', operator));
    if (name !== undefined) return this.#one(name);
    if (phrase === undefined && (token === '' || token === 'and')) return () => true;
    return this.#term(operator, phrase ?? token.replace(/^\+/, ''));
  }

  #term(operator: string, value: string): Test {
    const make = Object.hasOwn(OPERATORS, operator) ? OPERATORS[operator] : undefined;
    if (make) return make(value, this.#now);
    const text = operator === '' ? value : `${operator}:${value}`;
    return ({ text: searched }) => searched.includes(text);
  }

  #take(token: string | undefined): boolean {
    if (token === undefined || this.#tokens[this.#next]?.[0] !== token) return false;
    this.#next += 1;
    return true;
  }
}

const header =
  (name: string) =>
  (value: string): Test => {
    const wanted = value === 'me' ? 'me@example.com' : value;
    return ({ headers }) => headers.some((each) => each.name === name && each.value.includes(wanted));
  };

const label =
  (name: string): Test =>
  ({ labels }) =>
    labels.includes(name);

const NOT_ARCHIVED = ['inbox', 'trash', 'spam', 'sent', 'draft'];
const LABELS: Readonly<Record<string, Test>> = {
  read: not(label('unread')),
  anywhere: () => true,
  archive: not(any(NOT_ARCHIVED.map(label))),
  drafts: label('draft'),
};

const labelled = (name: string): Test => (Object.hasOwn(LABELS, name) ? LABELS[name]! : label(name));

const isUserLabelled: Test = ({ labels }) => labels.some((name) => name.startsWith('label_'));
const HAS: Readonly<Record<string, Test>> = {
  attachment: ({ filenames }) => filenames.length > 0,
  userlabels: isUserLabelled,
  nouserlabels: not(isUserLabelled),
};

/** Unverified (tools/unreadable-mail-search): a search for an unreadable date or size finds no message. */
const isAfter =
  (ms: number): Test =>
  (mail) =>
    mail.ms >= ms;
const isBefore =
  (ms: number): Test =>
  (mail) =>
    mail.ms < ms;
const isLarger = (size: string): Test => {
  const least = bytesOf(size);
  return (mail) => mail.size > least;
};
const isSmaller = (size: string): Test => {
  const most = bytesOf(size);
  return (mail) => mail.size < most;
};

const OPERATORS: Readonly<Record<string, (value: string, now: number) => Test>> = {
  from: header('from'),
  to: header('to'),
  cc: header('cc'),
  bcc: header('bcc'),
  subject: header('subject'),
  list: header('list-id'),
  deliveredto: header('delivered-to'),
  rfc822msgid: header('message-id'),
  is: labelled,
  in: labelled,
  label: label,
  category: (name) => label(`category_${name === 'primary' ? 'personal' : name}`),
  has: (what) => (Object.hasOwn(HAS, what) ? HAS[what]! : () => false),
  filename:
    (name) =>
    ({ filenames }) =>
      filenames.some((each) => each.includes(name)),
  after: (date) => isAfter(dateOf(date)),
  newer: (date) => isAfter(dateOf(date)),
  before: (date) => isBefore(dateOf(date)),
  older: (date) => isBefore(dateOf(date)),
  newer_than: (age, now) => isAfter(now - ageOf(age)),
  older_than: (age, now) => isBefore(now - ageOf(age)),
  size: isLarger,
  larger: isLarger,
  smaller: isSmaller,
};

/** `2026/1/31`, `1/31/2026`, with `-` too, or seconds since 1970. */
function dateOf(text: string): number {
  const [first = '', second, third] = text.split(/[/-]/);
  if (second === undefined) return /^\d+$/.test(first) ? Number(first) * 1000 : NaN;
  const [year, month, day] = first.length === 4 ? [first, second, third] : [third, first, second];
  return Date.UTC(Number(year), Number(month) - 1, Number(day));
}

const DAY_MS = 86_400_000;
const DAYS: Readonly<Record<string, number>> = { d: 1, m: 30, y: 365 };

const ageOf = (age: string): number =>
  Number(age.slice(0, -1) || NaN) * (DAYS[age.slice(-1)] ?? NaN) * DAY_MS;

function bytesOf(size: string): number {
  const [, number, unit = ''] = /^(\d+)([km]?)b?$/.exec(size) ?? [];
  return Number(number) * { '': 1, k: 1024, m: 1_048_576 }[unit]!;
}

function mailOf(data: RecordData): Mail {
  const payload = isObject(data['payload']) ? data['payload'] : {};
  const headers = objectsOf(payload['headers']).map(({ name, value }) => ({
    name: plainText(name).toLowerCase(),
    value: plainText(value).toLowerCase(),
  }));
  const labels = Array.isArray(data['labelIds']) ? data['labelIds'] : [];
  return {
    headers,
    labels: labels.map((each) => plainText(each).toLowerCase()),
    filenames: objectsOf(payload['parts']).flatMap(({ filename }) => plainText(filename).toLowerCase() || []),
    text: [plainText(data['snippet']).toLowerCase(), ...headers.map(({ value }) => value)].join('\n'),
    size: Number(data['sizeEstimate']),
    ms: Number(data['internalDate']),
  };
}

const objectsOf = (value: unknown) => (Array.isArray(value) ? value.filter(isObject) : []);
