import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { isIP } from 'node:net';
import { join } from 'node:path';
import type { Contract } from '@understudy/core/contract/contract';
import { machineTime } from '@understudy/core/state/clock';
import type { Exchange } from '../recordings/exchange.ts';
import { RecordingWriter, SHAPE } from '../recordings/recording.ts';
import { findSecrets, type Find } from '../recordings/secrets/scan.ts';
import { Redactor } from '../recordings/secrets/redactor.ts';
import { mergeShapes, writeShape, type Shape } from '../recordings/shape.ts';
import { shapeOf, withoutValues } from '../recordings/shape-of.ts';
import type { RpcServer } from '@understudy/core/server/grpc/wire';
import { BodyTap } from './body-tap.ts';
import { describe, framingOf, type Passed, type RpcReading } from './described.ts';
import { forwardHttp1 } from './http1.ts';
import { Http2Streams } from './http2-streams.ts';

/** The address at which webhooks come back. */
export const INBOX = '/_record/webhooks';

/** Where proxies of this kind recognize each other, in calls to addresses of this machine and of private networks. */
const LOOP_HEADER = 'understudy-record';

export interface RecorderSettings {
  target: URL;
  /** Where webhooks go on to; undefined: there is no inbox. */
  webhooksTo: URL | undefined;
  folder: string;
  began: string;
  version: string;
  /** Members that keep their values. */
  allowed: readonly string[];
  contract: Contract;
  /** Lines for the user. */
  tell: (line: string) => void;
}

/** What has passed of one call. Each part is told once, in order. */
export interface Passing {
  request(rawHeaders: readonly string[]): void;
  readonly requestBody: (chunk: Buffer) => void;
  response(status: number, rawHeaders: readonly string[]): void;
  readonly responseBody: (chunk: Buffer) => void;
  /** `failed`: why there is no whole answer. */
  end(failed?: string, rawTrailers?: readonly string[]): void;
}

/** Passes calls on to a service, and writes what has passed without its secrets. */
export class Recorder {
  readonly #settings: RecorderSettings;
  readonly #writer: RecordingWriter;
  readonly #redactor: Redactor;
  readonly #streams: Http2Streams;
  readonly #mark: readonly string[];
  /** The shape of what was written before `#fresh`. */
  #shape: Shape;
  #fresh: Exchange[] = [];
  #rpc: Promise<RpcReading> | undefined;
  #writing: Promise<void> = Promise.resolve();
  written = 0;
  refused = 0;

  /** Throws FileError if the folder cannot be used. */
  constructor(settings: RecorderSettings) {
    const { folder, target, began, version, allowed, contract } = settings;
    this.#settings = settings;
    this.#writer = new RecordingWriter(folder, { service: target.origin, began, understudy: version });
    this.#redactor = new Redactor(JSON.stringify(this.#writer.earlier), allowed);
    this.#streams = new Http2Streams(target);
    this.#mark = isNear(target.hostname) ? [LOOP_HEADER, randomBytes(8).toString('hex')] : [];
    this.#shape = shapeOf(this.#writer.earlier, contract);
    this.flush();
  }

  readonly app = (request: IncomingMessage, response: ServerResponse): void => {
    const path = pathOf(request.url);
    if (this.#isLoop(request.headers[LOOP_HEADER])) return refuse(response, 508, LOOP);
    if (path.split('?', 1)[0] === INBOX) return this.#receive(request, response);
    const destination = { service: this.#settings.target, path, added: this.#mark };
    forwardHttp1(request, response, destination, this.#begin(request.method!, path, false));
  };

  readonly rpc: RpcServer = {
    // All RPCs over HTTP/2 are streams.
    listener: (_, response) => void response.destroy(),
    handleStream: (stream, headers, rawHeaders, otherwise) => {
      const path = headers[':path'] ?? '/';
      if (!framingOf(rawHeaders, path)) return otherwise();
      if (this.#isLoop(headers[LOOP_HEADER])) return stream.close();
      const passing = this.#begin(headers[':method'] ?? 'POST', path, false);
      this.#streams.forward(stream, { rawHeaders, added: this.#mark }, passing);
    },
  };

  /** Writes the shape of what was written so far. */
  flush(): void {
    const { folder, contract } = this.#settings;
    this.#shape = mergeShapes(this.#shape, shapeOf(this.#fresh, contract));
    this.#fresh = [];
    writeShape(join(folder, SHAPE), this.#shape);
  }

  /** Exchanges of an earlier run. */
  get earlier(): number {
    return this.#writer.earlier.length;
  }

  /** Waits for what has passed, and writes the shape. */
  async close(): Promise<void> {
    this.#streams.close();
    await this.#writing;
    this.flush();
  }

  #isLoop(mark: string | string[] | undefined): boolean {
    return mark !== undefined && mark === this.#mark[1];
  }

  #receive(request: IncomingMessage, response: ServerResponse): void {
    const { webhooksTo } = this.#settings;
    if (!webhooksTo) return refuse(response, 404, NO_INBOX);
    const path = webhooksTo.pathname + webhooksTo.search;
    forwardHttp1(request, response, { service: webhooksTo, path }, this.#begin(request.method!, path, true));
  }

  #begin(method: string, path: string, isWebhook: boolean): Passing {
    const passed: Passed = {
      n: this.#writer.next(),
      at: machineTime(),
      ended: 0,
      isWebhook,
      request: { method, path, headers: [], size: 0, body: undefined },
      response: { status: 0, headers: [], trailers: [], size: 0, body: undefined },
    };
    const [sent, got] = [new BodyTap(), new BodyTap()];
    return {
      request: (headers) => void (passed.request.headers = headers),
      requestBody: sent.take,
      response: (status, headers) => void Object.assign(passed.response, { status, headers }),
      responseBody: got.take,
      end: (failed, trailers = []) => {
        if (passed.ended !== 0) return;
        passed.ended = machineTime();
        Object.assign(passed.request, { size: sent.size, body: sent.finish() });
        Object.assign(passed.response, { size: got.size, body: got.finish(), trailers });
        if (failed !== undefined) passed.response.failed = failed;
        this.#writing = this.#writing.then(() => this.#keep(passed));
      },
    };
  }

  /** A recording that fails must not fail the call. */
  async #keep(passed: Passed): Promise<void> {
    try {
      const rpc =
        !passed.isWebhook && framingOf(passed.request.headers, passed.request.path)
          ? await this.#reading()
          : undefined;
      const exchange = this.#redactor.exchange(describe(passed, this.#settings.contract, rpc));
      const finds = withoutTexts(exchange, passed, findSecrets(exchange, this.#settings.allowed));
      if (finds.length > 0) return this.#refuse(exchange, finds);
      this.#writer.write(exchange);
      this.#fresh.push(exchange);
      this.written += 1;
    } catch (thrown) {
      this.refused += 1;
      this.#settings.tell(`exchange ${passed.n} is not written: ${(thrown as Error).message}`);
    }
  }

  #refuse(exchange: Exchange, finds: readonly Find[]): void {
    this.refused += 1;
    this.#settings.tell(complaintOf(exchange, finds));
  }

  #reading(): Promise<RpcReading> {
    const { contract } = this.#settings;
    return (this.#rpc ??= import('../rpc/rpc.ts').then(({ RpcReader, errorInTrailers, errorOfConnect }) => ({
      reader: new RpcReader(contract),
      errorInTrailers,
      errorOfConnect,
    })));
  }
}

const LOOP = 'the call has come back to the recorder that has sent it: --to must name the service';
const NO_INBOX = 'this recorder forwards no webhooks: start it with --webhooks-to URL';

function refuse(response: ServerResponse, status: number, message: string): void {
  const body = JSON.stringify({ code: 9, message: `understudy record: ${message}`, details: [] });
  response.writeHead(status, { 'content-type': 'application/json' }).end(body);
}

/** A client of a proxy sends the whole address. */
const pathOf = (url = '/') => url.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i, '') || '/';

const isNear = (host: string): boolean =>
  host === 'localhost' ||
  host.endsWith('.localhost') ||
  !host.includes('.') ||
  isIP(host.replace(/^\[|\]$/g, '')) !== 0;

/** A page or a text has no names for what it holds, so nobody could allow a part: only its length is kept. */
function withoutTexts(exchange: Exchange, passed: Passed, finds: readonly Find[]): readonly Find[] {
  for (const side of ['request', 'response'] as const)
    if (finds.some(({ pointer }) => pointer === `/${side}/text`)) {
      delete exchange[side].text;
      exchange[side].bytes = passed[side].size;
    }
  return finds.filter(({ pointer }) => !/^\/(request|response)\/text$/.test(pointer));
}

const MOST_TOLD = 5;

/** One message for each exchange: an answer often repeats the value of its request. */
function complaintOf({ n, operation, request }: Exchange, finds: readonly Find[]): string {
  const call = `${request.method} ${withoutValues(request.path)}`;
  const name = operation === undefined ? call : `${call}, ${operation}`;
  const places = finds.map(({ pointer, length }) => `${pointer} (${length} characters)`);
  const more = places.length > MOST_TOLD ? ` and ${places.length - MOST_TOLD} more` : '';
  const listed = `${places.slice(0, MOST_TOLD).join(', ')}${more}`;
  const fields = [...new Set(finds.map(({ field }) => field))].slice(0, MOST_TOLD).join(',');
  return finds.length === 1
    ? `exchange ${n} (${name}) is not written: ${listed} looks like a secret. If it is none, start again with --allow ${fields}`
    : `exchange ${n} (${name}) is not written: ${listed} look like secrets. If they are none, start again with --allow ${fields}`;
}
