import { fromBinary, fromJson, toBinary, toJson, type JsonValue } from '@bufbuild/protobuf';
import { KNOWN_CREDENTIALS } from '../../src/config.ts';
import type { Exchange, Protocol, RecordedMessage } from '../../src/recordings/exchange.ts';
import type { Recording } from '../../src/recordings/recording.ts';
import { pathOf } from '../../src/server/grpc/rpc.ts';
import { SERVICES } from '../../src/server/grpc/rpc-server.ts';
import { frame } from '../../src/server/grpc/wire.ts';
import { packageFiles } from '../support/boot.ts';
import type { Body } from './second-service.ts';

export interface Wish {
  json?: object;
  form?: Record<string, string>;
  /** `none`: no token. */
  token?: 'none';
}

interface Got {
  status: number;
  headers: Record<string, string>;
  body: Body;
}

const { client_id, client_secret } = KNOWN_CREDENTIALS;
/** In a recording, a secret has a stand-in. */
const STAND_INS: readonly [RegExp, string][] = [[new RegExp(client_secret, 'g'), 'redacted-client_secret-1']];

/** A client of a service that writes down what it does, as `understudy record` does. */
export class RecordingClient {
  readonly #url: string;
  readonly #exchanges: Exchange[] = [];
  #token = '';

  constructor(url: string) {
    this.#url = url;
  }

  get recording(): Recording {
    const [first] = this.#exchanges;
    return {
      head: { format: 1, service: this.#url, began: first!.at, understudy: '0' },
      exchanges: this.#exchanges,
    };
  }

  async signIn(): Promise<void> {
    const form = { grant_type: 'client_credentials', client_id, client_secret };
    this.#token = (await this.call('POST', '/oauth/token', { form, token: 'none' })).body.access_token;
  }

  async call(method: string, path: string, { json, form, token }: Wish = {}): Promise<Got> {
    const headers: Record<string, string> = {
      ...(json && { 'content-type': 'application/json' }),
      ...(form && { 'content-type': 'application/x-www-form-urlencoded' }),
      ...(token !== 'none' && { authorization: `Bearer ${this.#token}` }),
    };
    const at = new Date().toISOString();
    const response = await fetch(`${this.#url}${path}`, {
      method,
      headers,
      redirect: 'manual',
      ...(json && { body: JSON.stringify(json) }),
      ...(form && { body: new URLSearchParams(form) }),
    });
    const text = await response.text();
    const isJson = /\bjson\b/.test(response.headers.get('content-type') ?? '');
    const body = isJson && text !== '' ? JSON.parse(text) : text;
    const answered = Object.fromEntries(response.headers);
    const { operation } = packageFiles.contract.router.route(method, path.split('?')[0]!);
    this.#write(operation.dialect === 'service' ? 'rest' : 'oauth', operation.id, at, {
      request: { method, path, headers, ...(json && { json }), ...(form && { form: listed(form) }) },
      response: { status: response.status, headers: answered, ...(isJson ? { json: body } : { text }) },
    });
    return { status: response.status, headers: answered, body };
  }

  /** Over gRPC-Web. `name` is such as `OrganizationService/GetOrganization`. */
  async rpc(name: string, message: object): Promise<{ trailers: Record<string, string>; message: Body }> {
    const found = SERVICES.flatMap(({ methods }) => methods).find((each) =>
      pathOf(each).endsWith(`.${name}`),
    )!;
    const headers = { authorization: `Bearer ${this.#token}`, 'content-type': 'application/grpc-web+proto' };
    const at = new Date().toISOString();
    const path = pathOf(found);
    const response = await fetch(`${this.#url}${path}`, {
      method: 'POST',
      headers,
      body: new Uint8Array(frame(toBinary(found.input, fromJson(found.input, message as JsonValue)))),
    });
    const bytes = Buffer.from(await response.arrayBuffer());
    const messages: Body[] = [];
    let trailers: Record<string, string> = {};
    for (let start = 0; start < bytes.length;) {
      const end = start + 5 + bytes.readUInt32BE(start + 1);
      const content = bytes.subarray(start + 5, end);
      if (bytes[start] === 0)
        messages.push(toJson(found.output, fromBinary(found.output, content), { useProtoFieldName: true }));
      else
        trailers = Object.fromEntries(
          content
            .toString()
            .trim()
            .split('\r\n')
            .map((line) => [line.split(':')[0]!, line.slice(line.indexOf(':') + 1).trim()]),
        );
      start = end;
    }
    this.#write('grpc-web', name.replace('/', '_'), at, {
      request: { method: 'POST', path, headers, messages: [message] },
      response: {
        status: response.status,
        headers: Object.fromEntries(response.headers),
        messages,
        trailers,
      },
    });
    return { trailers, message: messages[0] };
  }

  /** What a receiver of webhooks gets. */
  event(payload: Body, headers: Record<string, string>): void {
    const message: RecordedMessage & { method: string; path: string } = {
      method: 'POST',
      path: '/',
      headers,
      json: payload,
    };
    this.#write('webhook', undefined, new Date().toISOString(), {
      request: message,
      response: { status: 200, headers: {} },
    });
  }

  #write(
    protocol: Protocol,
    operation: string | undefined,
    at: string,
    sides: Pick<Exchange, 'request' | 'response'>,
  ): void {
    const exchange = {
      n: this.#exchanges.length + 1,
      at,
      ended: new Date().toISOString(),
      protocol,
      ...(operation !== undefined && { operation }),
      ...sides,
    };
    const text = STAND_INS.reduce(
      (written, [secret, standIn]) => written.replaceAll(secret, standIn),
      JSON.stringify(exchange),
    );
    this.#exchanges.push(JSON.parse(text) as Exchange);
  }
}

const listed = (form: Record<string, string>) =>
  Object.fromEntries(Object.entries(form).map(([name, value]) => [name, [value]]));
