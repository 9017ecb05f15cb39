/** Forms of values that a service makes up, the most telling first. Each is a group of one expression. */
const FORMS = {
  /** What a recording has in place of a secret. */
  secret: String.raw`redacted-[\w.]+(?:-[\w.]+)*-\d+`,
  jwt: String.raw`eyJ[\w-]+\.[\w-]+\.[\w-]*`,
  time: String.raw`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)`,
  uuid: String.raw`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`,
  /** Such as `org_1234567890`. */
  id: String.raw`(?<![A-Za-z0-9])[a-z][a-z0-9]*(?:_[a-z][a-z0-9]*)*_(?=[A-Za-z]*\d)[A-Za-z0-9]{8,}`,
  number: String.raw`(?<!\d)\d{15,}(?!\d)`,
  opaque: String.raw`(?=[\w-]*[A-Za-z])(?=[\w-]*\d)[\w-]{20,}`,
} as const;

type Form = keyof typeof FORMS;

const MADE_UP = new RegExp(
  Object.entries(FORMS)
    .map(([name, source]) => `(?<${name}>${source})`)
    .join('|'),
  'g',
);

/** What a value of the form may be in another service. */
const OTHERS: Readonly<Record<Exclude<Form, 'id'>, string>> = {
  secret: String.raw`[^\s&;,]+`,
  jwt: FORMS.jwt,
  time: FORMS.time,
  uuid: FORMS.uuid,
  number: String.raw`\d{10,}`,
  opaque: String.raw`[\w.-]{8,}`,
};

/** Longer texts are compared as they are. */
const LONGEST = 20_000;
const MOST_VALUES = 50;

interface MadeUp {
  form: Form;
  text: string;
  index: number;
}

/** The values of a text that a service has made up, such as the ids in a message. */
function madeUpIn(text: string): MadeUp[] {
  if (text.length > LONGEST) return [];
  const found = Array.from(text.matchAll(MADE_UP), ({ 0: value, index, groups = {} }) => ({
    form: Object.keys(groups).find((name) => groups[name] !== undefined) as Form,
    text: value,
    index,
  }));
  return found.length > MOST_VALUES ? [] : found;
}

/** Whether the whole text is made up. */
export const isMadeUp = (text: string): boolean => madeUpIn(text)[0]?.text === text;

/** The part before the random part, such as `org_`. */
const prefixOf = (id: string) => id.slice(0, id.lastIndexOf('_') + 1);

/** Whether both are ids, of different kinds. */
export function hasOtherForm(theirs: string, ours: string): boolean {
  const [their, our] = [madeUpIn(theirs)[0], madeUpIn(ours)[0]];
  const isId = their?.form === 'id' && our?.form === 'id' && their.text === theirs && our.text === ours;
  return isId && prefixOf(theirs) !== prefixOf(ours);
}

const quoted = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);

const patternOf = ({ form, text }: MadeUp): string =>
  form === 'id' ? `${prefixOf(text)}[A-Za-z0-9]+` : OTHERS[form];

/** The made-up values of both texts if the texts are otherwise equal. */
function correspondence(theirs: string, ours: string): [theirs: string, ours: string][] | undefined {
  const values = madeUpIn(theirs);
  if (values.length === 0 || ours.length > LONGEST) return undefined;
  let end = 0;
  let source = '';
  for (const value of values) {
    source += `${quoted(theirs.slice(end, value.index))}(${patternOf(value)})`;
    end = value.index + value.text.length;
  }
  const match = new RegExp(`^${source}${quoted(theirs.slice(end))}$`).exec(ours);
  return match ? values.map(({ text }, index) => [text, match[index + 1]!]) : undefined;
}

/**
 * Which made-up value of a service stands for which of Understudy's: one for one. It is learned from answers, and
 * requests are rewritten by it.
 */
export class Pairs {
  readonly #ours = new Map<string, string>();
  readonly #theirs = new Map<string, string>();
  /** Addresses of the recorded service, and ours. */
  readonly #addresses: readonly [theirs: string, ours: string][];

  constructor(theirAddress: string, ourAddress: string) {
    const hostOf = (address: string) => address.replace(/^https?:\/\//, '');
    this.#addresses = [
      [theirAddress, ourAddress],
      [encodeURIComponent(theirAddress), encodeURIComponent(ourAddress)],
      [hostOf(theirAddress), hostOf(ourAddress)],
    ];
  }

  knows(theirs: string): boolean {
    return this.#ours.has(theirs);
  }

  ourOf(theirs: string): string | undefined {
    return this.#ours.get(theirs);
  }

  theirOf(ours: string): string | undefined {
    return this.#theirs.get(ours);
  }

  /** Joins two values. Returns false if one of them is already joined with another one. */
  join(theirs: string, ours: string): boolean {
    const known = this.#ours.get(theirs);
    if (known !== undefined) return known === ours;
    if (this.#theirs.has(ours)) return false;
    this.#ours.set(theirs, ours);
    this.#theirs.set(ours, theirs);
    return true;
  }

  /** Joins what is made up in two texts. Undefined if the texts differ in more than that. */
  joinTexts(theirs: string, ours: string, keep: boolean): { broken?: [string, string] } | undefined {
    const found = correspondence(theirs, ours);
    if (!found) return undefined;
    for (const [their, our] of found) {
      if (isTime(their)) continue;
      const isFree = this.#ours.get(their) === undefined && !this.#theirs.has(our);
      if (this.#ours.get(their) !== our && !(isFree && (!keep || this.join(their, our))))
        return { broken: [their, our] };
    }
    return {};
  }

  /** The text with the addresses of our service. */
  readdressed(text: string): string {
    let readdressed = text;
    for (const [theirs, ours] of this.#addresses)
      if (theirs !== '') readdressed = readdressed.replaceAll(theirs, ours);
    return readdressed;
  }

  /** A text of a request for our service. Adds made-up values that no answer had to `strange`. */
  rewrite(text: string, strange: Set<string>): string {
    const whole = this.#ours.get(text);
    if (whole !== undefined) return whole;
    return this.readdressed(text).replaceAll(MADE_UP, (value) => {
      const ours = this.#ours.get(value);
      if (ours === undefined && !isTime(value)) strange.add(value);
      return ours ?? value;
    });
  }
}

const TIME = new RegExp(`^${FORMS.time}$`);

export const isTime = (text: string): boolean => TIME.test(text);

const STAND_IN = new RegExp(`^${FORMS.secret}$`);

/** Whether a recording has this in place of a secret. */
export const isStandIn = (text: string): boolean => STAND_IN.test(text);
