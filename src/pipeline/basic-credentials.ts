import { OAuthError } from '../contract/errors.ts';
import { header, type Call } from './call.ts';

interface ClientCredentials {
  client_id: string;
  client_secret: string;
}

/** The form of a call, with `client_id` and `client_secret` from HTTP Basic. Throws `OAuthError`. */
export function withBasic(form: Record<string, unknown>, { headers }: Pick<Call, 'headers'>): object {
  const authorization = header({ headers }, 'authorization') ?? '';
  if (!/^Basic(\s|$)/i.test(authorization)) return form;
  const basic = fromBasic(authorization);
  if (!basic)
    throw new OAuthError(
      'invalid_client',
      'the authorization header has no Base64 of client_id:client_secret',
    );
  // RFC 6749 2.3: a client authenticates in one way in each request. An empty member counts as left out (3.2).
  if (form['client_secret'])
    throw new OAuthError(
      'invalid_request',
      'client_secret is in the form, and HTTP Basic in the header: send one',
    );
  if (form['client_id'] && form['client_id'] !== basic.client_id)
    throw new OAuthError(
      'invalid_request',
      'client_id of the form is not the one of HTTP Basic in the header',
    );
  return { ...form, ...basic };
}

function fromBasic(authorization: string | undefined): ClientCredentials | undefined {
  const [, encoded] = /^Basic\s+(\S+)\s*$/i.exec(authorization ?? '') ?? [];
  if (encoded === undefined) return undefined;
  const plain = Buffer.from(encoded, 'base64');
  if (plain.toString('base64') !== encoded) return undefined;
  const [, id, secret] = /^([^:]*):(.*)$/s.exec(plain.toString()) ?? [];
  if (id === undefined || secret === undefined) return undefined;
  return { client_id: formDecoded(id), client_secret: formDecoded(secret) };
}

function formDecoded(text: string): string {
  return new URLSearchParams(`x=${text.replaceAll('&', '%26')}`).get('x') ?? text;
}
