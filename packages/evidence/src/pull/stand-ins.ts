import { createHmac } from 'node:crypto';
import { Faker, base, en } from '@faker-js/faker';
import type { Schema } from '@understudy/core/contract/compiled';
import type { Contract } from '@understudy/core/contract/contract';
import { schemaAt } from '@understudy/core/scenarios/breaches';
import { isObject } from '@understudy/text/json';

/** What a text is about. `left out`: no stand-in could do its work. */
type Kind = 'company' | 'plain' | 'left out';

/** How the texts of one list are read, by member. */
export type Kinds = Readonly<Record<string, Kind>>;

interface StandInSettings {
  /** The same seed gives the same stand-ins. */
  seed: string;
  /** Members that keep their values; `*` is all of them. */
  keep: readonly string[];
  /** Begins ids, which stay: `org`, `usr` and so on. */
  idPrefixes: ReadonlySet<string>;
}

interface Place {
  /** The member that the value belongs to. */
  name: string;
  /** Undefined where the contract allows any JSON. */
  schema: Schema | undefined;
  kinds: Kinds;
  /** The e-mail address of the nearest object around. */
  person: string | undefined;
  /** The member around. */
  parent: string;
}

const ID = /^([a-z0-9]+)_[0-9]{4,}$/;
const EMAIL = /^[^\s@]+@[^\s@]+$/;
const WEB_ADDRESS = /^(https?:)\/\/([^/?#]+)/i;
const OTHER_ADDRESS = /^[a-z][a-z0-9+.-]*:\/\//i;
const HOST = /^[^\s/@:]+\.[^\s/@:]+$/;
const NETWORK = /^([0-9]{1,3}(?:\.[0-9]{1,3}){3}|[0-9a-f]*:[0-9a-f:]*:[0-9a-f:]*)(\/[0-9]+)?$/i;
const COLOR = /^#[0-9a-f]{6}$/i;
const LOCALE = /^[a-z]{2}([-_][A-Z]{2})?$/;
/** Members whose numbers proto JSON writes as texts. */
const COUNT = /(^|_)(expiry|timeout_ms|count)$/;
const SECRET =
  /(^|_)(secret|password|private_key|api_key|access_token|refresh_token|service_account_json|developer_token)$/;

/** Members whose names and values programs use, or that the service sets. */
const PLAIN: ReadonlySet<string> = new Set(
  'type provider provider_key key_id connector region_code scopes scope required_scopes grant_types trigger_point map_to key provisioning_method auth_mode connection_name tool_names format'.split(
    ' ',
  ),
);
const GIVEN: ReadonlySet<string> = new Set(['given_name', 'first_name']);
const FAMILY: ReadonlySet<string> = new Set(['family_name', 'last_name']);

/**
 * Replaces what people have written. Each stand-in follows from the seed and the original alone, so the same value has
 * the same stand-in everywhere and in every pull.
 */
export class StandIns {
  readonly #settings: StandInSettings;
  readonly #keep: ReadonlySet<string>;
  readonly #contract: Contract;
  readonly #faker = new Faker({ locale: [en, base] });

  constructor(settings: StandInSettings, contract: Contract) {
    this.#settings = settings;
    this.#keep = new Set(settings.keep);
    this.#contract = contract;
  }

  /** One item of a list. Its schema says what is an enum or a time. */
  item(item: unknown, schema: Schema | undefined, kinds: Kinds): unknown {
    return this.#value(item, { name: '', schema, kinds, person: undefined, parent: '' });
  }

  /** A value for a secret, which nobody can read. */
  secret(of: string): string {
    return `test_${this.#code('secret', of, 24)}`;
  }

  #value(value: unknown, place: Place): unknown {
    if (Array.isArray(value)) return this.#items(value, place);
    if (isObject(value)) return this.#members(value, place);
    if (typeof value === 'number' && isFree(place.schema)) return this.#number(value);
    return typeof value === 'string' ? this.#text(value, place) : value;
  }

  #items(values: readonly unknown[], place: Place): unknown[] {
    const schema = place.schema && schemaAt([0], place.schema, this.#contract);
    return values.map((each) => this.#value(each, { ...place, schema }));
  }

  #members(value: Record<string, unknown>, place: Place): Record<string, unknown> {
    const { email } = value;
    const person = typeof email === 'string' && EMAIL.test(email) ? email.toLowerCase() : place.person;
    const members = Object.entries(value).flatMap(([name, member]) => {
      if (!this.#isKept(name) && place.kinds[name] === 'left out') return [];
      if (this.#isKept(name)) return [[name, this.#withoutSecrets(member, name)] as const];
      const schema = place.schema && schemaAt([name], place.schema, this.#contract);
      return [[name, this.#value(member, { ...place, name, schema, person, parent: place.name })] as const];
    });
    return Object.fromEntries(members);
  }

  #isKept = (name: string) => (this.#keep.has('*') || this.#keep.has(name)) && !SECRET.test(name);

  /** A member that is kept keeps all inside, except secrets. */
  #withoutSecrets(value: unknown, name: string): unknown {
    if (Array.isArray(value)) return value.map((each) => this.#withoutSecrets(each, name));
    if (isObject(value))
      return Object.fromEntries(
        Object.entries(value).map(([inner, each]) => [inner, this.#withoutSecrets(each, inner)]),
      );
    return typeof value === 'string' && value !== '' && SECRET.test(name) ? this.secret(value) : value;
  }

  #text(text: string, place: Place): string {
    const { name, schema, kinds, parent } = place;
    if (text === '') return '';
    if (SECRET.test(name)) return this.secret(text);
    if (name.endsWith('_suffix')) return this.#code('suffix', text, 4);
    // What is inside of a plain member is plain.
    const kind = kinds[name] ?? (kinds[parent] === 'plain' ? 'plain' : undefined);
    if (kind === 'plain' || (kind === undefined && PLAIN.has(name))) return text;
    if (isOfTheService(text, schema, this.#settings.idPrefixes) || isHarmless(text, name)) return text;
    if (kind === 'company') return `${this.#company(text)} ${this.#code('company', text, 6)}`;
    const special = EMAIL.test(text) ? this.#email(text) : this.#ofPerson(text, place);
    return special ?? this.#address(text, name) ?? `${this.#word(text)}-${this.#code('text', text, 10)}`;
  }

  /** Names of one person fit together, and fit the address. Undefined for a text that is no name or number. */
  #ofPerson(text: string, { name, parent, person = text }: Place): string | undefined {
    if (GIVEN.has(name)) return this.#given(person);
    if (FAMILY.has(name)) return this.#family(person);
    if (name === 'phone_number') return `+1555${this.#digits('phone', text, 7)}`;
    const isFullName = name === 'name' && parent === 'user_profile';
    return isFullName ? `${this.#given(person)} ${this.#family(person)}` : undefined;
  }

  /** Undefined for a text that is no address. */
  #address(text: string, name: string): string | undefined {
    const [, scheme, host] = WEB_ADDRESS.exec(text) ?? [];
    if (scheme && host) return `${scheme.toLowerCase()}//${this.#host(host)}/${this.#code('path', text, 10)}`;
    if (OTHER_ADDRESS.test(text)) return `app.example://${this.#code('path', text, 10)}`;
    if (/domains?$/.test(name) && HOST.test(text)) return this.#host(text);
    if (!NETWORK.test(text)) return undefined;
    const code = this.#digits('network', text, 6);
    const [, network = '', size = ''] = NETWORK.exec(text)!;
    return network.includes(':')
      ? `fd00::${code}${size}`
      : `10.${[0, 2, 4].map((at) => Number(code.slice(at, at + 2))).join('.')}${size}`;
  }

  /** The same domain has the same stand-in in addresses, as the domain of an organization, and alone. */
  #host(host: string): string {
    const known = host.toLowerCase();
    return `${this.#word(known)}-${this.#code('domain', known, 7)}.example`;
  }

  #email(email: string): string {
    const known = email.toLowerCase();
    const name = `${this.#given(known)}.${this.#family(known)}`.toLowerCase().replace(/[^a-z.]/g, '');
    return `${name}.${this.#code('email', known, 6)}@${this.#host(known.slice(known.lastIndexOf('@') + 1))}`;
  }

  #given = (of: string) => this.#seeded('given', of).person.firstName();
  #family = (of: string) => this.#seeded('family', of).person.lastName();
  #company = (of: string) => this.#seeded('company', of).company.name();
  #word = (of: string) =>
    this.#seeded('word', of)
      .word.noun()
      .toLowerCase()
      .replace(/[^a-z]/g, '');

  /** As many digits as the original has. */
  #number(value: number): number {
    const digits = String(Math.trunc(Math.abs(value))).length;
    return digits > 15 ? value : Number(this.#digits('number', String(value), digits));
  }

  #digits(kind: string, of: string, count: number): string {
    const number = this.#hash(kind, of).readBigUInt64BE() % 10n ** BigInt(count);
    return String(number).padStart(count, '1');
  }

  #code(kind: string, of: string, length: number): string {
    const number = BigInt(`0x${this.#hash(kind, of).toString('hex')}`);
    return number.toString(36).slice(-length);
  }

  #seeded(kind: string, of: string): Faker {
    this.#faker.seed(this.#hash(kind, of).readUInt32BE());
    return this.#faker;
  }

  #hash = (kind: string, of: string) =>
    createHmac('sha256', this.#settings.seed).update(`${kind}\0${of}`).digest();
}

const isFree = (schema: Schema | undefined) => schema?.type === undefined;

/** Ids, times and words of the contract are nobody's text. */
function isOfTheService(text: string, schema: Schema | undefined, prefixes: ReadonlySet<string>): boolean {
  if (schema?.enum?.includes(text)) return true;
  if (schema?.format === 'date-time' && !Number.isNaN(Date.parse(text))) return true;
  const [, prefix] = ID.exec(text) ?? [];
  return prefix !== undefined && prefixes.has(prefix);
}

const isHarmless = (text: string, name: string): boolean =>
  (name === 'locale' && LOCALE.test(text)) ||
  (COUNT.test(name) && /^[0-9]+$/.test(text)) ||
  (name.endsWith('_color') && COLOR.test(text));
