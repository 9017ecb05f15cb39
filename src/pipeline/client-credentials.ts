import { header, type Call } from './call.ts';

export interface ClientCredentials {
  client_id: string;
  client_secret: string;
}

/** What a client says of itself at /oauth: HTTP Basic (RFC 6749 2.3.1, form-encoded inside), else the form's members. */
export function clientCredentials(call: Pick<Call, 'headers' | 'body'>): ClientCredentials | undefined {
  return fromBasic(header(call, 'authorization')) ?? fromForm(call.body);
}

function fromBasic(authorization: string | undefined): ClientCredentials | undefined {
  const [, encoded] = /^Basic\s+(\S+)\s*$/i.exec(authorization ?? '') ?? [];
  if (encoded === undefined) return undefined;
  const [, id, secret] = /^([^:]*):(.*)$/s.exec(Buffer.from(encoded, 'base64').toString()) ?? [];
  if (id === undefined || secret === undefined) return undefined;
  return { client_id: formDecoded(id), client_secret: formDecoded(secret) };
}

function fromForm(body: Uint8Array | undefined): ClientCredentials | undefined {
  if (!body) return undefined;
  const form = new URLSearchParams(new TextDecoder().decode(body));
  const [id, ...further] = form.getAll('client_id');
  const [secret = '', ...others] = form.getAll('client_secret');
  // A parameter that is given twice makes the request invalid (RFC 6749 3.2), which the contract then says.
  if (id === undefined || further.length > 0 || others.length > 0) return undefined;
  return { client_id: id, client_secret: secret };
}

function formDecoded(text: string): string {
  return new URLSearchParams(`x=${text.replaceAll('&', '%26')}`).get('x') ?? text;
}
