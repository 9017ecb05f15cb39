import supertest from 'supertest';
import type { Booted } from './boot.ts';
import { serverOf } from './listening.ts';

/** Values by field name. Fields that share a name, such as checkboxes, have a list. */
type Filled = Record<string, string | string[]>;

/** A simulator of this process, or the address of another one. */
type App = Booted['understudy']['app'] | string;

/** A browser without scripts: follows redirects of the simulator, keeps cookies, reads and submits forms. */
export class Browser {
  readonly #app: App;
  readonly #origin: string;
  readonly cookies = new Map<string, string>();

  constructor({ understudy }: { understudy: { app: App } }, origin = 'http://localhost:8080') {
    this.#app = understudy.app;
    this.#origin = origin;
  }

  open(address: string): Promise<Visit> {
    return this.#go('get', address);
  }

  /** Posts a form; the address may be relative. */
  send(address: string, form: Filled): Promise<Visit> {
    return this.#go('post', address, form);
  }

  async #go(verb: 'get' | 'post', address: string, form?: Filled): Promise<Visit> {
    const { origin, pathname, search, href } = new URL(address, this.#origin);
    if (origin !== this.#origin) return new Visit(this, href, undefined);
    const agent = supertest(typeof this.#app === 'string' ? this.#app : serverOf(this.#app));
    const request = agent[verb](`${pathname}${search}`)
      .set('host', new URL(this.#origin).host)
      .set('cookie', [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; '))
      .redirects(0);
    const response = form ? await request.type('form').send(form) : await request;
    this.#keep(response.headers['set-cookie'] as unknown as string[] | undefined);
    const { location } = response.headers;
    return location ? this.#go('get', new URL(location, href).href) : new Visit(this, href, response);
  }

  #keep(written: readonly string[] = []): void {
    for (const each of written) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(each) ?? [];
      if (value === '' || each.includes('Max-Age=0')) this.cookies.delete(name);
      else this.cookies.set(name, value);
    }
  }
}

const ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" };
const unescape = (text: string) => text.replace(/&([a-z#0-9]+);/g, (_, name: string) => ENTITIES[name] ?? '');

/** The current page. A redirect to another origin is recorded in `url` but not loaded. */
export class Visit {
  readonly #browser: Browser;
  readonly url: string;
  readonly response: supertest.Response | undefined;

  constructor(browser: Browser, url: string, response: supertest.Response | undefined) {
    this.#browser = browser;
    this.url = url;
    this.response = response;
  }

  get status(): number {
    return this.response?.status ?? 0;
  }

  get text(): string {
    // Where a browser may break a long word is no part of what a person reads.
    return (this.response?.text ?? '').replaceAll('<wbr />', '');
  }

  /** A query parameter of the URL. */
  query(name: string): string | null {
    return new URL(this.url).searchParams.get(name);
  }

  /** Submits the first form of the page, or the first whose markup contains `which`, with these values. */
  submit(filled: Filled = {}, which = ''): Promise<Visit> {
    const forms = [...this.text.matchAll(/<form[^]*?<\/form>/g)].map(([form]) => form);
    const form = forms.find((each) => each.includes(which));
    if (!form) throw new Error(`${this.url} has no form${which && ` with ${which}`}: ${this.text}`);
    const action = unescape(/<form[^>]* action="([^"]*)"/.exec(form)?.[1] ?? this.url);
    const hidden = [...form.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)" \/>/g)];
    const own = Object.fromEntries(hidden.map(([, name, value]) => [name, unescape(value!)]));
    return this.#browser.send(new URL(action, this.url).href, { ...own, ...filled });
  }
}
