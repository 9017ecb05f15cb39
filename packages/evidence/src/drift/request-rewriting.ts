import type { Exchange } from '../recordings/exchange.ts';
import { isObject } from '@understudy/text/json';
import type { Pairs } from './pairs.ts';
import type { SentRequest, Stage } from './stage.ts';
import { percentDecoded } from '@understudy/text/addresses';

/** Headers that belong to a connection, or that the client of the replay sets itself. */
const NOT_SENT =
  /^(:.*|host|connection|content-length|transfer-encoding|keep-alive|te|trailer|upgrade|accept-encoding|user-agent|via|forwarded|x-forwarded-.*|proxy-.*|grpc-.*|connect-.*|sec-.*|expect)$/;

/** Writes a recorded request so that Understudy understands it: with its ids, its tokens and its credentials. */
export class RequestRewriting {
  /** Made-up values that no earlier answer had: of rows from before the recording, or chosen by the client. */
  readonly strange = new Set<string>();
  readonly #pairs: Pairs;
  readonly #stage: Stage;

  constructor(pairs: Pairs, stage: Stage) {
    this.#pairs = pairs;
    this.#stage = stage;
  }

  async rewritten({ request }: Exchange): Promise<SentRequest> {
    const { method, path, json, form, text, messages } = request;
    const body =
      json !== undefined
        ? JSON.stringify(this.#value(json))
        : form !== undefined
          ? this.#form(form)
          : text === undefined
            ? undefined
            : this.#text(text);
    return {
      method,
      path: this.#path(path),
      headers: await this.#headers(request.headers),
      ...(body !== undefined && method !== 'GET' && method !== 'HEAD' && { body }),
      ...(messages && { messages: messages.map((message) => this.#value(message)) }),
    };
  }

  #text(text: string): string {
    return this.#pairs.rewrite(text, this.strange);
  }

  #value(value: unknown): unknown {
    if (typeof value === 'string') return this.#text(value);
    if (Array.isArray(value)) return value.map((each) => this.#value(each));
    if (!isObject(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, this.#value(each)]));
  }

  #form(form: Record<string, string[]>): string {
    const pairs = Object.entries(form).flatMap(([name, values]) =>
      [values].flat().map((value) => [name, this.#text(value)]),
    );
    return new URLSearchParams(pairs).toString();
  }

  /** Segments and parameters are whole values; what is encoded stays encoded. */
  #path(path: string): string {
    const [head = '', query] = path.split(/\?(.*)/s);
    const segments = head.split('/').map((segment) => this.#encoded(segment));
    if (query === undefined) return segments.join('/');
    const parameters = query.split('&').map((each) => {
      const [name = '', value] = each.split(/=(.*)/s);
      return value === undefined ? each : `${name}=${this.#encoded(value.replaceAll('+', ' '))}`;
    });
    return `${segments.join('/')}?${parameters.join('&')}`;
  }

  #encoded(text: string): string {
    const value = percentDecoded(text);
    if (value === undefined) return text;
    const rewritten = this.#text(value);
    return rewritten === value ? text.replaceAll(' ', '+') : encodeURIComponent(rewritten);
  }

  async #headers(headers: Exchange['request']['headers']): Promise<Record<string, string>> {
    const sent: Record<string, string> = {};
    for (const [name, value] of Object.entries(headers))
      if (!NOT_SENT.test(name))
        sent[name] =
          name === 'authorization'
            ? await this.#authorization([value].flat()[0]!)
            : this.#text([value].flat().join(name === 'cookie' ? '; ' : ', '));
    return sent;
  }

  /** A token or a secret that no answer had is one of the client's own. */
  async #authorization(value: string): Promise<string> {
    const [scheme = '', credentials = ''] = value.split(/ (.*)/s);
    if (credentials === '') return value;
    const known = this.#pairs.ourOf(credentials);
    if (known !== undefined) return `${scheme} ${known}`;
    const { clientId, clientSecret } = this.#stage;
    if (/^basic$/i.test(scheme))
      return `${scheme} ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}`;
    return `${scheme} ${await this.#stage.token()}`;
  }
}
