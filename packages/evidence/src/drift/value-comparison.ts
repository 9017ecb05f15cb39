import { isShortened } from '../recordings/exchange.ts';
import { canonicalText, isObject, plainText } from '@understudy/text/json';
import { shown, type Difference, type DriftKind, type Severity } from './difference.ts';
import { Differences } from './differences.ts';
import { correspondingItems, isOutOfOrder, type Items } from './list-comparison.ts';
import { hasOtherForm, isMadeUp, isStandIn, isTime, type Pairs } from './pairs.ts';
import type { SchemaPlace, SchemaPlaces } from './schema-place.ts';
import { claimsIn } from '../recordings/secrets/jwt.ts';
import {
  idOf,
  isEmpty,
  isEpoch,
  isOpaque,
  lastOf,
  renamedIn,
  spanOf,
  telling,
  typeOf,
  withEmpty,
} from './value-kinds.ts';
import { counted } from '@understudy/text/words';

/** The same place in two answers. `variant`: what Understudy answers with another seed. */
export interface Sides {
  theirs: unknown;
  ours: unknown;
  variant?: unknown;
}

/** What comparisons of values know of the run. */
export interface Basis {
  pairs: Pairs;
  places: SchemaPlaces;
  /** How far two times may lie apart, in milliseconds. Absent: times of the two runs cannot be compared. */
  tolerance?: number;
  /** Whether Understudy began with the rows of the recorded service. */
  hasRows: boolean;
  /** When the recording began, by the clock of the service. */
  began: number;
  /** Whether there is a variant. */
  hasVariant: boolean;
}

interface Place {
  at: string;
  schema?: SchemaPlace | undefined;
  /** Whether the contract promises an order for the lists of this answer. */
  isOrdered?: boolean;
  /** Whether there are more pages. */
  isPaged?: boolean;
  /** Whether it is a message of an RPC, which leaves out what is empty. */
  isMessage?: boolean;
}

/** Members that count rows or lead to other pages. */
const PAGING =
  /^(total|total_size|total_count|totalResults|itemsPerPage|page_size|count)$|(page_token|cursor)$/;
const CURSOR = /(page_token|cursor)$/i;
/** Clocks are not so far apart, in milliseconds. */
const LONG_BEFORE = 60_000;
const NOT_KEPT = 'bytes that the recording does not keep';
/** Members that hold a length of time. */
const LENGTH_OF_TIME = /expir|lifetime|timeout|ttl|retry|max_age|_in$|interval/i;

/** Compares values of a recorded service with those of Understudy, and remembers which ids belong together. */
export class ValueComparison {
  readonly found = new Differences();
  readonly #basis: Basis;
  readonly #isTrial: boolean;

  /** A trial finds out how much differs, and remembers nothing. */
  constructor(basis: Basis, isTrial = false) {
    this.#basis = basis;
    this.#isTrial = isTrial;
  }

  compare(place: Place, sides: Sides): void {
    const { theirs, ours } = sides;
    if (theirs === ours) return this.#same(place, theirs);
    if (typeof theirs === 'string' && typeof ours === 'string')
      return isShortened(theirs) ? this.found.count(NOT_KEPT) : this.#texts(place, theirs, sides);
    if (Array.isArray(theirs) && Array.isArray(ours)) return this.#lists(place, theirs, ours, sides);
    if (isObject(theirs) && isObject(ours)) return this.#objects(place, theirs, ours, sides.variant);
    if (typeof theirs === 'number' && typeof ours === 'number') return this.#numbers(place, theirs, ours);
    if (typeOf(theirs) === typeOf(ours)) return this.#other('value', place, sides);
    if (isEmpty(theirs) && isEmpty(ours)) return this.#other('empty value', place, sides);
    this.#add('type', 'breaking', place, sides, `is ${typeOf(theirs)}, in Understudy ${typeOf(ours)}`);
  }

  /** Equal made-up values belong together, as those of a fixture do. */
  #same(place: Place, value: unknown): void {
    if (typeof value !== 'string' || this.#isTrial || !isMadeUp(value) || isTime(value)) return;
    if (!this.#basis.pairs.join(value, value)) this.#broken(place, value, value);
  }

  #texts(place: Place, written: string, sides: Sides): void {
    const { pairs, tolerance, hasVariant } = this.#basis;
    const ours = sides.ours as string;
    const theirs = pairs.readdressed(written);
    if (theirs === ours) return this.found.count('address');
    if (theirs === '' || ours === '') return this.#emptyText(place, sides);
    const tokens = [claimsIn(theirs), claimsIn(ours)] as const;
    if (tokens[0] && tokens[1]) return this.#tokens(place, sides, tokens[0], tokens[1]);
    if (isTime(theirs) && isTime(ours))
      return this.#times(place, sides, Date.parse(theirs) - Date.parse(ours), tolerance);
    if (CURSOR.test(lastOf(place.at))) return this.found.count('page token');
    if (isStandIn(theirs)) return this.#join(place, theirs, ours, 'secret');
    const joined = pairs.joinTexts(theirs, ours, !this.#isTrial);
    if (joined) return joined.broken ? this.#broken(place, ...joined.broken) : this.found.count('id');
    if (hasOtherForm(theirs, ours)) return this.#otherForm(place, sides);
    if (this.#isSecret(place)) return this.#join(place, theirs, ours, 'secret');
    // With another seed Understudy answers something else here, so the value is made up.
    const { variant } = sides;
    const isMoving = hasVariant && typeof variant === 'string' && variant !== ours && variant !== theirs;
    if (isMoving && isOpaque(ours) && isOpaque(theirs))
      return this.#join(place, theirs, ours, 'made-up value');
    this.#differentTexts(place, { ...sides, theirs });
  }

  #differentTexts(place: Place, sides: Sides): void {
    const values = place.schema?.schema.enum;
    const message = `has the value ${shown(sides.theirs)}, which the contract does not have`;
    if (values && !values.includes(sides.theirs))
      return this.#add('enum value', 'breaking', place, sides, message);
    this.#other('value', place, sides);
  }

  #otherForm(place: Place, sides: Sides): void {
    const message = `has the form of ${shown(sides.theirs)}, in Understudy of ${shown(sides.ours)}`;
    this.#add('form', 'notable', place, sides, message);
  }

  #emptyText(place: Place, sides: Sides): void {
    const isCursor = CURSOR.test(lastOf(place.at));
    if (!isCursor) return this.#other('empty value', place, sides);
    const message =
      sides.theirs === ''
        ? 'is empty, in Understudy it leads to another page'
        : 'leads to another page, in Understudy it is empty';
    this.#add('paging', 'notable', place, sides, message);
  }

  #isSecret({ schema }: Place): boolean {
    return (schema?.schema as { 'x-secret'?: boolean } | undefined)?.['x-secret'] === true;
  }

  #join(place: Place, theirs: string, ours: string, reason: string): void {
    const { pairs } = this.#basis;
    const known = pairs.ourOf(theirs);
    if (this.#isTrial)
      return known === undefined || known === ours ? undefined : this.#broken(place, theirs, ours);
    if (pairs.join(theirs, ours)) this.found.count(reason);
    else this.#broken(place, theirs, ours);
  }

  #broken(place: Place, theirs: string, ours: string): void {
    const { pairs } = this.#basis;
    const message =
      pairs.ourOf(theirs) !== undefined
        ? `is ${shown(theirs)}, which was ${shown(pairs.ourOf(theirs))} of Understudy before and is ${shown(ours)} here`
        : `is ${shown(theirs)}, but ${shown(ours)} of Understudy was ${shown(pairs.theirOf(ours))} before`;
    this.#add('identity', 'breaking', place, { theirs, ours }, message);
  }

  #times(place: Place, sides: Sides, apart: number, tolerance: number | undefined): void {
    if (tolerance === undefined || Math.abs(apart) <= tolerance) return this.found.count('time');
    const message = `is ${spanOf(Math.abs(apart))} ${apart > 0 ? 'later' : 'earlier'} than in Understudy`;
    this.#add('timing', 'notable', place, sides, message);
  }

  #numbers(place: Place, theirs: number, ours: number): void {
    const name = lastOf(place.at);
    const unit = [1, 1000].find((size) => isEpoch(theirs * size) && isEpoch(ours * size));
    // Seconds are cut off, so two may differ by one more.
    const rounding = 1000;
    if (unit !== undefined)
      return this.#times(
        place,
        { theirs, ours },
        (theirs - ours) * unit,
        this.#basis.tolerance && this.#basis.tolerance + rounding,
      );
    const kind = PAGING.test(name) ? 'paging' : LENGTH_OF_TIME.test(name) ? 'timing' : 'value';
    this.#other(kind, place, { theirs, ours });
  }

  /** Two JWTs: their claims are compared, and the texts belong together. */
  #tokens(place: Place, sides: Sides, theirs: object, ours: object): void {
    const variant = typeof sides.variant === 'string' ? claimsIn(sides.variant) : undefined;
    const found = this.found.during(() =>
      this.compare({ at: `${place.at} (token)` }, { theirs, ours, variant }),
    );
    for (const difference of found) {
      if (difference.kind === 'timing' || difference.kind === 'identity') continue;
      difference.kind = 'claim';
      if (difference.severity === 'cosmetic') difference.severity = 'notable';
    }
    if (!this.#isTrial) this.#basis.pairs.join(sides.theirs as string, sides.ours as string);
  }

  #objects(
    place: Place,
    theirs: Record<string, unknown>,
    ours: Record<string, unknown>,
    variant: unknown,
  ): void {
    const rows = this.#unknownRows;
    const sides = place.isMessage
      ? ([withEmpty(theirs, ours), withEmpty(ours, theirs)] as const)
      : ([theirs, ours] as const);
    const found = this.found.during(() => this.#members(place, ...sides, variant));
    if (this.#isEarlier(theirs)) for (const difference of found) difference.verdict = 'unknown';
    else if (this.#unknownRows > rows) doubtPaging(place.at, found);
  }

  #members(
    place: Place,
    theirs: Record<string, unknown>,
    ours: Record<string, unknown>,
    variant: unknown,
  ): void {
    const names = [...new Set([...Object.keys(ours), ...Object.keys(theirs)])];
    const added = names.filter((name) => !Object.hasOwn(ours, name));
    const missing = names.filter((name) => !Object.hasOwn(theirs, name));
    const sidesOf = (name: string): Sides => ({
      theirs: theirs[name],
      ours: ours[name],
      variant: isObject(variant) ? variant[name] : undefined,
    });
    const both = names.filter((name) => Object.hasOwn(ours, name) && Object.hasOwn(theirs, name));
    const hasCursor = (value: unknown) => value !== undefined && !isEmpty(value);
    const isPaged = names.some(
      (name) => CURSOR.test(name) && (hasCursor(theirs[name]) || hasCursor(ours[name])),
    );
    // An id first: it says whether this is the same object.
    for (const name of both.toSorted((a, b) => Number(b === 'id') - Number(a === 'id')))
      this.compare({ ...this.#member(place, name), isPaged }, sidesOf(name));
    const renamed = renamedIn(added, missing, (name, other) => this.#isEqual(theirs[name], ours[other]));
    for (const [name, other] of renamed)
      this.#renamed(place, name, other, { theirs: theirs[name], ours: ours[other] });
    for (const name of added)
      if (!renamed.has(name)) this.#added(this.#member(place, name), sidesOf(name), place);
    const others = new Set(renamed.values());
    const required = place.schema?.schema.required;
    for (const name of missing)
      if (!others.has(name))
        this.#missing(this.#member(place, name), sidesOf(name), required?.includes(name));
  }

  #member({ at, schema, isOrdered, isMessage }: Place, name: string): Place {
    const member = schema && this.#basis.places.member(schema, name);
    const known = { ...(isOrdered && { isOrdered }), ...(isMessage && { isMessage }) };
    return { at: at === '' ? name : `${at}.${name}`, schema: member, ...known };
  }

  #isEqual(theirs: unknown, ours: unknown): boolean {
    const trial = new ValueComparison(this.#basis, true);
    trial.compare({ at: '' }, { theirs, ours });
    return trial.found.all.length === 0;
  }

  #renamed(place: Place, name: string, other: string, sides: Sides): void {
    const member = this.#member(place, other);
    this.#add('field renamed', 'breaking', member, sides, `is called ${name}`);
    if (typeof sides.theirs === 'string' && typeof sides.ours === 'string' && !this.#isTrial)
      this.#basis.pairs.joinTexts(sides.theirs, sides.ours, true);
  }

  /** The contract has the place of an unknown field: the object around it. */
  #added(place: Place, sides: Sides, around: Place): void {
    const value = shown(sides.theirs);
    if (isEmpty(sides.theirs))
      return this.#add('empty value', 'notable', place, sides, `is ${value}, and Understudy leaves it out`);
    if (place.schema)
      return this.#add('field added', 'notable', place, sides, `is ${value}, and Understudy leaves it out`);
    const message = `is ${value}, and the contract has no such field`;
    this.#add('field added', 'cosmetic', { ...place, schema: around.schema }, sides, message);
  }

  #missing(place: Place, sides: Sides, isRequired = false): void {
    const message = `is left out, and Understudy answers ${shown(sides.ours)}`;
    if (isEmpty(sides.ours)) return this.#add('empty value', 'notable', place, sides, message);
    this.#add('field missing', isRequired ? 'breaking' : 'notable', place, sides, message);
  }

  #lists(place: Place, theirs: unknown[], ours: unknown[], { variant }: Sides): void {
    const item: Place = {
      at: `${place.at}[]`,
      schema: place.schema && this.#basis.places.item(place.schema),
      ...(place.isMessage && { isMessage: true }),
    };
    if (![...theirs, ...ours].some(isObject)) return this.#scalars(place, item, theirs, ours, variant);
    const found = correspondingItems(theirs, ours, this.#basis.pairs, (some, other) =>
      this.#distance(item, some, other),
    );
    for (const [i, j] of found.together)
      this.compare(item, {
        theirs: theirs[i],
        ours: ours[j],
        variant: Array.isArray(variant) ? variant[j] : undefined,
      });
    const isUnknown = this.#leftOver(place, theirs, ours, found);
    if (isUnknown || !isOutOfOrder(found)) return;
    if (!place.isOrdered) return this.found.count('order');
    this.#add('order', 'notable', place, {}, 'has the same rows in another order');
  }

  /** How many values of two items are equal, and how many differ. */
  #distance(place: Place, theirs: unknown, ours: unknown): { equal: number; different: number } {
    const trial = new ValueComparison(this.#basis, true);
    trial.compare(place, { theirs, ours });
    const equal =
      isObject(theirs) && isObject(ours)
        ? Object.keys(theirs).filter((name) => telling(theirs[name], ours[name])).length
        : 0;
    return { equal, different: trial.found.all.length };
  }

  /** Texts and numbers have no order that the contract promises. */
  #scalars(place: Place, item: Place, theirs: unknown[], ours: unknown[], variant: unknown): void {
    if (theirs.length === ours.length) {
      const sorted = (list: readonly unknown[]) => list.map(canonicalText).toSorted();
      const isSame = canonicalText(sorted(theirs)) === canonicalText(sorted(ours));
      if (isSame)
        return canonicalText(theirs) === canonicalText(ours) ? undefined : this.found.count('order');
      theirs.forEach((value, i) =>
        this.compare(item, {
          theirs: value,
          ours: ours[i],
          variant: Array.isArray(variant) ? variant[i] : undefined,
        }),
      );
      return;
    }
    const sides = { theirs, ours };
    if (theirs.length === 0 || ours.length === 0) return this.#other('value', place, sides);
    this.#add('value', 'notable', place, sides, `has ${theirs.length} values, in Understudy ${ours.length}`);
  }

  /** Rows that were found so far of which nobody knows whether Understudy should have them. */
  #unknownRows = 0;

  /** Returns whether it is unknown which rows should be there. */
  #leftOver(place: Place, theirs: unknown[], ours: unknown[], { theirsOnly, oursOnly }: Items): boolean {
    const { pairs, hasRows } = this.#basis;
    const strange = theirsOnly.filter(
      (i) => !pairs.knows(idOf(theirs[i]) ?? '') && idOf(theirs[i]) !== undefined,
    );
    if (strange.length > 0 && !hasRows) {
      this.#unknownRows += strange.length;
      const message = `has ${counted(strange.length, 'row')} from before the recording; --fixture gives Understudy these rows`;
      this.#add('rows', 'notable', place, {}, message, 'unknown');
      return true;
    }
    if (theirsOnly.length + oursOnly.length === 0) return false;
    const sides = { theirs: theirs.length, ours: ours.length };
    const [here, lacking] = [counted(theirs.length, 'row'), oursOnly.length];
    if (theirsOnly.length > 0 && lacking > 0) {
      const message = `has ${counted(theirsOnly.length, 'row')} that Understudy does not have, and lacks ${lacking}`;
      this.#add('rows', 'breaking', place, sides, message);
    } else if (place.isPaged) {
      const message = `has ${here} on this page, in Understudy ${ours.length}`;
      this.#add('paging', 'notable', place, sides, message);
    } else this.#add('rows', 'breaking', place, sides, `has ${here}, in Understudy ${ours.length}`);
    return false;
  }

  /** Whether the service had the row before the recording, so that Understudy may lack it or have another one. */
  #isEarlier({ create_time, created_at }: Record<string, unknown>): boolean {
    const { hasRows, began } = this.#basis;
    const made = Date.parse(plainText(create_time ?? created_at));
    return !hasRows && made < began - LONG_BEFORE;
  }

  #other(kind: DriftKind, place: Place, sides: Sides): void {
    const message = `is ${shown(sides.theirs)}, in Understudy ${shown(sides.ours)}`;
    this.#add(kind, 'notable', place, sides, message);
  }

  #add(
    kind: DriftKind,
    severity: Severity,
    { at, schema }: Place,
    { theirs, ours }: Partial<Sides>,
    message: string,
    verdict?: Difference['verdict'],
  ): void {
    const contract = schema?.pointer;
    this.found.add(kind, severity, { at, message: `${at} ${message}`, theirs, ours, contract, verdict });
  }
}

/** With unknown rows, counts and tokens of pages say nothing. */
function doubtPaging(at: string, found: readonly Difference[]): void {
  for (const difference of found) {
    const isOwn = difference.at.startsWith(at) && PAGING.test(lastOf(difference.at));
    if (isOwn && difference.kind === 'paging') difference.verdict = 'unknown';
  }
}
