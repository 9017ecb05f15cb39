import type { Operation } from '@understudy/core/contract/compiled';
import { isObject, plainText } from '@understudy/text/json';
import { shown, type Difference, type DriftKind, type Severity } from './difference.ts';
import type { Differences } from './differences.ts';
import type { SchemaPlace } from './schema-place.ts';
import { ValueComparison, type Basis, type Sides } from './value-comparison.ts';

/** An answer in the form in which a recording keeps it. */
export interface Answer {
  status: number;
  headers: Readonly<Record<string, string | string[]>>;
  json?: unknown;
  text?: string;
  messages?: unknown[];
  trailers?: Readonly<Record<string, string>>;
}

interface Answers {
  theirs: Answer;
  ours: Answer;
  variant?: Answer | undefined;
}

export interface Question {
  operation: Operation | undefined;
  /** Whether the contract promises an order for the lists of this operation. */
  isOrdered: boolean;
  /** An RPC: the status is in the trailers. */
  isRpc: boolean;
}

/** Headers that a program may depend on, with what it means if they differ. All others are of servers and networks. */
const HEADERS: Readonly<Record<string, Severity>> = {
  'www-authenticate': 'notable',
  'retry-after': 'notable',
  allow: 'cosmetic',
  'cache-control': 'cosmetic',
  'access-control-allow-origin': 'notable',
  link: 'notable',
  deprecation: 'notable',
  sunset: 'notable',
};

/** Trailers whose values are compared with the error. */
const STATUS_TRAILERS = ['grpc-status', 'grpc-message', 'grpc-status-details-bin'];

/** Compares two answers to the same question. Everything that differs is added to the comparison. */
export class AnswerComparison {
  readonly #values: ValueComparison;
  readonly #basis: Basis;
  readonly #question: Question;

  constructor(basis: Basis, question: Question) {
    this.#values = new ValueComparison(basis);
    this.#basis = basis;
    this.#question = question;
  }

  /** What differs. */
  get found(): Differences {
    return this.#values.found;
  }

  compare(answers: Answers): void {
    const { theirs, ours } = answers;
    if (this.#question.isRpc) this.#rpc(answers);
    else if (theirs.status !== ours.status) return this.#statuses(answers);
    if (!this.#question.isRpc) this.#headers(answers);
    this.#bodies(answers);
  }

  /** After another status, an answer has another form, but two errors can be compared. */
  #statuses(answers: Answers): void {
    const { theirs, ours } = answers;
    const isError = theirs.status >= 400 && ours.status >= 400;
    const reason = isError ? '' : reasonIn(ours.json) + (theirs.status >= 400 ? reasonIn(theirs.json) : '');
    const message = `status is ${theirs.status}, in Understudy ${ours.status}${reason}`;
    this.#add('status', 'breaking', 'status', { theirs: theirs.status, ours: ours.status }, message);
    this.#headers(answers, ['retry-after']);
    if (isError) this.#errors(answers, undefined);
  }

  #bodies(answers: Answers): void {
    const { theirs, ours, variant } = answers;
    const { operation, isOrdered, isRpc } = this.#question;
    const status = isRpc ? (operation?.status ?? 200) : ours.status;
    const schema = this.#basis.places.ofAnswer(operation, status);
    if (!isRpc && isObject(theirs.json) && isObject(ours.json) && ours.status >= 400)
      return this.#errors(answers, schema);
    const [their, our, other] = [theirs, ours, variant].map((answer) => answer && contentOf(answer, isRpc));
    if (isRpc && (their === undefined || our === undefined)) return;
    if (their === undefined && our === undefined) return this.#texts(answers);
    const sides = { theirs: their, ours: our, variant: other };
    if (their !== undefined && our !== undefined) {
      const at = isRpc ? 'message' : 'body';
      return this.#values.compare({ at, schema, isOrdered, isMessage: isRpc }, sides);
    }
    const message =
      their === undefined ? 'is no JSON, in Understudy it is' : 'is JSON, in Understudy it is not';
    this.#add('type', 'breaking', 'body', sides, `body ${message}`);
  }

  /** A page is made by people for people: its words may be any. */
  #texts({ theirs, ours, variant }: Answers): void {
    const isPage = [theirs, ours].some(({ headers }) =>
      String(headers['content-type']).startsWith('text/html'),
    );
    if (isPage) return theirs.text === ours.text ? undefined : this.found.count('page');
    const sides = { theirs: theirs.text ?? '', ours: ours.text ?? '', variant: variant?.text };
    this.#values.compare({ at: 'body' }, sides);
  }

  /** The code decides what a program does; the message is for people. */
  #errors({ theirs, ours, variant }: Answers, schema: SchemaPlace | undefined): void {
    if (!isObject(theirs.json) || !isObject(ours.json)) return;
    const sides = { theirs: theirs.json, ours: ours.json, variant: variant?.json };
    const found = this.found.during(() => this.#values.compare({ at: 'body', schema }, sides));
    found.forEach(asError);
  }

  #rpc({ theirs, ours }: Answers): void {
    const [their, our] = [theirs, ours].map(codeOfRpc);
    if (their !== our)
      return this.#add(
        'status',
        'breaking',
        'grpc-status',
        { theirs: their, ours: our },
        `grpc-status is ${their}, in Understudy ${our}`,
      );
    this.#errors({ theirs, ours }, undefined);
    this.#trailers(theirs.trailers ?? {}, ours.trailers ?? {});
  }

  #trailers(theirs: Readonly<Record<string, string>>, ours: Readonly<Record<string, string>>): void {
    const names = new Set([...Object.keys(theirs), ...Object.keys(ours)]);
    for (const name of [...names].filter((each) => !STATUS_TRAILERS.includes(each))) {
      const sides = { theirs: theirs[name], ours: ours[name] };
      if (sides.theirs === undefined || sides.ours === undefined)
        this.#add(
          'trailer',
          'cosmetic',
          `trailers.${name}`,
          sides,
          `trailer ${name} is ${shown(sides.theirs)}, in Understudy ${shown(sides.ours)}`,
        );
    }
  }

  #headers(
    { theirs, ours }: Answers,
    names = [...Object.keys(HEADERS), 'location', 'content-type', 'set-cookie'],
  ): void {
    for (const name of names) {
      const sides = { theirs: theirs.headers[name], ours: ours.headers[name] };
      if (sides.theirs === undefined && sides.ours === undefined) continue;
      if (name === 'location') this.#location(sides);
      else if (name === 'content-type') this.#mediaTypes(sides);
      else if (name === 'set-cookie') this.#cookies(sides);
      else this.#header(name, sides);
    }
  }

  #header(name: string, sides: Sides): void {
    const at = `headers.${name}`;
    const severity = HEADERS[name]!;
    if (typeof sides.theirs === 'string' && typeof sides.ours === 'string') {
      for (const difference of this.found.during(() => this.#values.compare({ at }, sides))) {
        difference.kind = name === 'retry-after' ? 'timing' : 'header';
        difference.severity = severity;
      }
      return;
    }
    this.#add(
      'header',
      severity,
      at,
      sides,
      `header ${name} is ${shown(sides.theirs)}, in Understudy ${shown(sides.ours)}`,
    );
  }

  /** Only the type: servers name the character set or not. */
  #mediaTypes(sides: Sides): void {
    const [theirs, ours] = [sides.theirs, sides.ours].map((value) => textOf(value)?.split(';', 1)[0]!.trim());
    if (theirs !== ours)
      this.#add(
        'header',
        'notable',
        'headers.content-type',
        { theirs, ours },
        `header content-type is ${shown(theirs)}, in Understudy ${shown(ours)}`,
      );
  }

  /** The names and attributes of cookies: their values are secrets. */
  #cookies({ theirs, ours }: Sides): void {
    const namesOf = (value: unknown) =>
      [value ?? []]
        .flat()
        .map((cookie) => plainText(cookie).split('=', 1)[0]!)
        .toSorted();
    const [their, our] = [namesOf(theirs), namesOf(ours)];
    if (their.join() !== our.join()) this.found.count('cookie');
    const valuesOf = (value: unknown) =>
      [value ?? []].flat().map((cookie) => /^[^=]*=([^;]*)/.exec(plainText(cookie))?.[1] ?? '');
    const [theirValues, ourValues] = [valuesOf(theirs), valuesOf(ours)];
    if (theirValues.length !== ourValues.length) return;
    theirValues.forEach((value, i) => value !== '' && this.#basis.pairs.join(value, ourValues[i]!));
  }

  /** A redirect: its address without the query, then each parameter. */
  #location(sides: Sides): void {
    const [theirs, ours] = [sides.theirs, sides.ours].map((value) => textOf(value));
    if (theirs === undefined || ours === undefined)
      return this.#add(
        'redirect',
        'breaking',
        'headers.location',
        { theirs, ours },
        `header location is ${shown(theirs)}, in Understudy ${shown(ours)}`,
      );
    const [their, our] = [partsOf(this.#basis.pairs.readdressed(theirs)), partsOf(ours)];
    const found = this.found.during(() => {
      this.#values.compare({ at: 'headers.location' }, { theirs: their.address, ours: our.address });
      for (const name of new Set([...our.params.keys(), ...their.params.keys()]))
        this.#parameter(name, { theirs: their.params.get(name), ours: our.params.get(name) });
    });
    for (const difference of found) if (difference.kind !== 'identity') difference.kind = 'redirect';
  }

  #parameter(name: string, sides: Sides): void {
    const at = `headers.location?${name}`;
    const { theirs, ours } = sides;
    if (theirs === undefined) {
      const message = `the redirect has no parameter ${name}, and that of Understudy has ${shown(ours)}`;
      this.#add('redirect', 'breaking', at, sides, message);
    } else if (ours === undefined) {
      const message = `the redirect has the parameter ${name} ${shown(theirs)}, and that of Understudy has not`;
      this.#add('redirect', 'cosmetic', at, sides, message);
    } else this.#values.compare({ at }, sides);
  }

  #add(kind: DriftKind, severity: Severity, at: string, { theirs, ours }: Sides, message: string): void {
    this.found.add(kind, severity, { at, message, theirs, ours });
  }
}

/** What a difference in an error means. */
function asError(difference: Difference): void {
  if (difference.kind === 'identity') return;
  const name = difference.at.slice(difference.at.lastIndexOf('.') + 1);
  if (/^(code|error|error_code|scimType|reason)$/.test(name) && difference.kind === 'value')
    Object.assign(difference, { kind: 'error code', severity: 'breaking' });
  else if (/^(message|error_description|detail|description|grpc-message|localized_message)$/.test(name))
    Object.assign(difference, { kind: 'message', severity: 'cosmetic' });
  else if (/details/.test(difference.at) && difference.kind !== 'enum value')
    Object.assign(difference, { kind: 'detail' });
}

function reasonIn(body: unknown): string {
  const message = isObject(body)
    ? (body['message'] ?? body['error_description'] ?? body['error'])
    : undefined;
  return typeof message === 'string' ? ` (${message.slice(0, 160)})` : '';
}

/** Connect tells of success by the status of HTTP. */
const codeOfRpc = ({ status, trailers }: Answer): string =>
  trailers?.['grpc-status'] ?? (status === 200 ? '0' : `HTTP ${status}`);

const contentOf = ({ json, messages }: Answer, isRpc: boolean): unknown => (isRpc ? messages?.[0] : json);

const textOf = (value: unknown): string | undefined => (value === undefined ? undefined : plainText(value));

function partsOf(address: string) {
  const [head = '', query = ''] = address.split(/[?#](.*)/s);
  return { address: head, params: new URLSearchParams(query) };
}
