import type { Booted } from './boot.ts';
import { Browser, type Visit } from './browser.ts';
import { AUTHORIZE, patchRow } from './sso.ts';
import type { SampleTarget } from './saml.ts';

/** The SAML connection of Nordwind, which the fixture leaves as a draft. */
export const NORDWIND = 'conn_10000000000000252';
export const NINA = 'nina@nordwind.example';
export const SERVICE = `http://localhost:8080/sso/v1/saml/${NORDWIND}`;
export const PROVIDER = `/ui/identity-provider/saml/${NORDWIND}`;
export const ISSUER = 'https://sts.windows.example/nordwind';
export const CLIENT = 'skc_1000000000000000001';

/** Sign-ins go on at the application here if they start at the identity provider. */
export const LOGIN = 'https://app.example.com/login';

/** Switches the connection on, with changes. */
export const enable = ({ control }: Booted, changes: object = {}) =>
  patchRow(control, 'connections', NORDWIND, { status: 'COMPLETED', enabled: true, ...changes });

export const allowInitiation = async (booted: Booted) => {
  await patchRow(booted.control, 'clients', CLIENT, { initiate_login_uri: LOGIN });
  return enable(booted, { saml_config: { idp_entity_id: ISSUER, allow_idp_initiated_login: true } });
};

export interface BegunSignIn {
  browser: Browser;
  /** The page of the provider. */
  page: Visit;
  /** The id of the sign-in. */
  id: string;
  /** What a response for it must say. */
  target: SampleTarget;
}

/** Begins a sign-in, and goes as far as the page of the simulated provider. */
export async function beginSaml(booted: Booted, browser = new Browser(booted)): Promise<BegunSignIn> {
  const begun = await browser.open(`${AUTHORIZE}&connection_id=${NORDWIND}`);
  const [id = ''] = /req_\d+/.exec(begun.url) ?? [];
  const page = await browser.open(`/sso/v1/saml/${NORDWIND}/init?auth_request_id=${id}`);
  const { body } = await booted.control.get(`/state/login_transactions/${id}`).expect(200);
  const { body: clock } = await booted.control.get('/clock').expect(200);
  const target = {
    now: Date.parse(clock.now),
    issuer: ISSUER,
    consumerUrl: `${SERVICE}/callback`,
    audience: SERVICE,
    requestId: body.saml_request_id as string,
  };
  return { browser, page, id, target };
}

/** Posts a response as the identity provider makes the browser do it. */
export const postResponse = (
  { browser, id }: Pick<BegunSignIn, 'browser' | 'id'>,
  xml: string,
): Promise<Visit> =>
  browser.send(`${SERVICE}/callback`, { SAMLResponse: Buffer.from(xml).toString('base64'), RelayState: id });

/** Answers as the simulated provider, and comes back to the application. */
export async function answerAs(begun: BegunSignIn, form: Record<string, string> = {}): Promise<Visit> {
  const posting = await begun.page.submit({ email: NINA, given_name: 'Nina', ...form }, 'id="email"');
  return posting.submit();
}

/** The XML that a page posts. */
export const xmlOf = (posting: Visit): string =>
  Buffer.from(/name="SAMLResponse" value="([^"]*)"/.exec(posting.text)?.[1] ?? '', 'base64').toString();

/** The notes of the latest call of an operation. */
export async function notesOf({ control }: Booted, operation: string): Promise<string[]> {
  const { body } = await control.get(`/requests?operation=${operation}&limit=1`).expect(200);
  return body.requests[0].notes ?? [];
}
