import { KNOWN_CREDENTIALS } from '../../../../src/start/config.ts';
import { pathOf } from '../../../../src/server/grpc/rpc.ts';
import { RpcClient } from '../../src/rpc/rpc-client.ts';
import { SERVICES } from '../../../../src/server/grpc/services.ts';
import { packageFiles } from '../../../../test/support/boot.ts';
import type { Body } from './second-service.ts';

interface Wish {
  json?: object;
  form?: Record<string, string>;
  /** `none`: no token. */
  token?: 'none';
}

/** A program that uses a service. */
export class ServiceClient {
  readonly #url: string;
  readonly #rpc: RpcClient;
  #token = '';

  constructor(url: string) {
    this.#url = url;
    this.#rpc = new RpcClient(url, packageFiles.contract);
  }

  async signIn(): Promise<void> {
    this.#token = (await this.token()).access_token;
  }

  async token({ client_id, client_secret } = KNOWN_CREDENTIALS): Promise<Body> {
    const form = { grant_type: 'client_credentials', client_id, client_secret };
    return this.call('POST', '/oauth/token', { form, token: 'none' });
  }

  async call(method: string, path: string, { json, form, token }: Wish = {}): Promise<Body> {
    const response = await fetch(`${this.#url}${path}`, {
      method,
      redirect: 'manual',
      headers: {
        ...(json && { 'content-type': 'application/json' }),
        ...(token !== 'none' && { authorization: `Bearer ${this.#token}` }),
      },
      ...(json && { body: JSON.stringify(json) }),
      ...(form && { body: new URLSearchParams(form) }),
    });
    const text = await response.text();
    return /\bjson\b/.test(response.headers.get('content-type') ?? '') && text !== ''
      ? JSON.parse(text)
      : text;
  }

  /** Over gRPC-Web. `name` is such as `OrganizationService/GetOrganization`. */
  async rpc(name: string, message: object): Promise<void> {
    const methods = SERVICES.flatMap((service) => service.methods);
    const path = pathOf(methods.find((each) => pathOf(each).endsWith(`.${name}`))!);
    const headers = { authorization: `Bearer ${this.#token}` };
    await this.#rpc.send({ method: 'POST', path, headers, messages: [message] });
  }
}
