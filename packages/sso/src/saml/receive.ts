import type { Env, Rows } from '@understudy/core/state/env';
import { ApiError } from '@understudy/core/contract/errors';
import { readPosted } from '@understudy/saml/bindings';
import { ruleNamed } from '@understudy/core/operations/refusals';
import { SamlRefusal, shown } from '@understudy/saml/refusal';
import { checkResponse, ProviderRefused, type Assertion } from '@understudy/saml/response-check';
import { Redirect, withQuery, type CustomReply } from '@understudy/core/operations/handler';
import { withSettings } from '@understudy/core/operations/connections/settings';
import { openedTest } from '@understudy/core/operations/connections/tests';
import type { BrowserCookies } from '@understudy/core/operations/hosted/browser';
import { isEmail, RESERVED, type ProviderAnswer } from '../sign-in/answer-form.ts';
import { finishTest } from '../sign-in/connection-test.ts';
import { applicationFor, beginAtApplication, refusalOf } from '../sign-in/initiate.ts';
import { receiveAnswer } from '../sign-in/round-trip.ts';
import { useAssertion } from '@understudy/core/operations/oauth/revoked-tokens';
import { openTransaction, type Transaction } from '@understudy/core/operations/sign-in/transaction';
import {
  issuerOf,
  refusalPage,
  serviceKey,
  serviceOf,
  trustedCertificates,
  wantedSignature,
} from '@understudy/core/operations/connections/saml-parties';
import { postingPage } from '@understudy/core/operations/hosted/posting';
import { readMetadata } from './provider-metadata.ts';
import { mappingOf } from './simulated-answer.ts';

type Connection = Rows['connections'];

interface PostedResponse {
  SAMLResponse?: string;
  RelayState?: string;
  resent?: 'true';
}

/** Takes the response of an identity provider, and continues the sign-in that asked for it, or begins one. */
export function receiveResponse(
  env: Env,
  connection: Connection,
  form: PostedResponse,
  cookies: BrowserCookies,
): CustomReply {
  const test = connection.tests?.find(({ id }) => id === form.RelayState);
  if (test) return receiveTest(env, connection, test, form.SAMLResponse);
  const known = form.RelayState === undefined ? undefined : env.login_transactions.find(form.RelayState);
  if (!known) return receiveUnsolicited(env, connection, form);
  // Browsers send the cookie with no form of another site, so the form is sent again from a page of ours.
  if (cookies.understudy_login === undefined && form.resent === undefined)
    return postingPage({
      title: 'Signing in',
      address: serviceOf(env, connection).consumerUrl,
      fields: { ...form, resent: 'true' },
    });
  const transaction = openTransaction(env, known.id, cookies);
  if (transaction.connection_id !== connection.id)
    throw new ApiError('permission_denied', 'this answer is for another connection: start again');
  const answer = answerIn(env, connection, transaction, form.SAMLResponse);
  return receiveAnswer(env, transaction, answer, { cookies, status: 303 });
}

type Test = NonNullable<Connection['tests']>[number];

/** The answer to a test of the connection. It is checked as that to a sign-in, and nobody is signed in. */
function receiveTest(env: Env, connection: Connection, test: Test, posted: string | undefined): CustomReply {
  const requestId = test.saml_request_id ?? NO_REQUEST;
  const answer = orRefused(env, () => {
    const assertion = acceptedAssertion(env, connection, posted, { requestId });
    return { identity: identityOf(connection, assertion) };
  });
  const now = env.connections.get(connection.id);
  return finishTest(env, now, openedTest(env, now, test.id), answer);
}

/** The user, or the error that the application gets. A response is taken once: the sign-in forgets its request. */
function answerIn(
  env: Env,
  connection: Connection,
  { id, client_id, saml_request_id }: Transaction,
  posted: string | undefined,
): ProviderAnswer {
  return orRefused(env, () => {
    const assertion = acceptedAssertion(env, connection, posted, {
      requestId: saml_request_id ?? NO_REQUEST,
    });
    refuseReplay(env, assertion, client_id);
    env.login_transactions.update(id, { saml_request_id: undefined });
    return { identity: identityOf(connection, assertion) };
  });
}

/** No response can answer this. */
const NO_REQUEST = 'a request of this sign-in, which has none';

function orRefused(env: Env, read: () => ProviderAnswer): ProviderAnswer {
  try {
    return read();
  } catch (thrown) {
    if (!(thrown instanceof SamlRefusal)) throw thrown;
    return refusedAnswer(env, thrown);
  }
}

function refusedAnswer(env: Env, refusal: SamlRefusal): ProviderAnswer {
  env.note(`refused: ${refusal.message}`);
  if (refusal.rule) env.decidedBy(ruleNamed(refusal.rule));
  const said = refusal instanceof ProviderRefused ? refusal.said : undefined;
  return { error: refusal.refused.error, error_description: said || refusal.message };
}

/** A sign-in that started at the identity provider goes on at the application. */
function receiveUnsolicited(
  env: Env,
  connection: Connection,
  { SAMLResponse, RelayState }: PostedResponse,
): CustomReply {
  const application = applicationFor(env, connection);
  const refusal = refusalOf(env, connection);
  if (refusal) return new Redirect(withQuery(application.address, { ...refusal }), { status: 303 });
  try {
    const assertion = acceptedAssertion(env, connection, SAMLResponse, { requestId: undefined });
    refuseReplay(env, assertion, application.client.id);
    const { email } = identityOf(connection, assertion);
    return beginAtApplication(env, connection, {
      ...application,
      login_hint: email,
      relay_state: RelayState,
    });
  } catch (thrown) {
    throw thrown instanceof SamlRefusal ? refusalPage(thrown) : thrown;
  }
}

function acceptedAssertion(
  env: Env,
  found: Connection,
  posted: string | undefined,
  { requestId }: { requestId: string | undefined },
): Assertion {
  const xml = readPosted('SAMLResponse', posted);
  const connection = readMetadata(env, found);
  const { saml_config = {} } = withSettings(env, connection);
  const { entityId, consumerUrl } = serviceOf(env, connection);
  const assertion = checkResponse(xml, {
    now: env.clock.ms,
    issuer: issuerOf(env, connection),
    certificates: trustedCertificates(env, connection),
    wanted: wantedSignature(saml_config),
    consumerUrl,
    audience: entityId,
    requestId,
    decryptionKey: serviceKey().privateKey,
    mustBeEncrypted: saml_config.assertion_encrypted ?? false,
  });
  env.note(`SAML response of ${shown(assertion.issuer)} is good: NameID ${shown(assertion.nameId.value)}`);
  return assertion;
}

function refuseReplay(env: Env, { id, issuer, goodUntil }: Assertion, clientId: string): void {
  if (useAssertion(env, { iss: issuer, jti: id, exp: goodUntil / 1000 }, clientId)) return;
  throw new SamlRefusal({
    check: 'replay',
    problem: 'the assertion was used before',
    expected: 'an assertion that nobody has used',
    received: id,
    error: 'invalid_saml_response',
  });
}

/** Unverified (saml/e-mail-attribute): the address comes from the mapped attribute, and never from NameID. */
function identityOf(connection: Connection, { nameId, sessionIndex, attributes }: Assertion) {
  const mapping = mappingOf(connection);
  const valueOf = (own: string) => attributes[mapping[own] ?? own];
  const email = valueOf('email')?.[0] ?? '';
  if (!isEmail(email))
    throw new SamlRefusal({
      check: 'attribute',
      problem: 'the attribute with the e-mail address is missing, or is none',
      expected: `an e-mail address in ${mapping['email']}`,
      received: email || `only ${Object.keys(attributes).join(', ') || 'no attributes'}`,
      error: 'mandatory_attribute_missing',
    }).decidedBy('saml/e-mail-attribute');
  const passing = Object.keys(mapping).filter((own) => !RESERVED.has(own) || NAMES.has(own));
  const given = passing.flatMap((own) => {
    const values = valueOf(own);
    return values?.length ? [[own, values.length === 1 ? values[0] : values] as const] : [];
  });
  return {
    connection_id: connection.id,
    subject: nameId.value,
    ...(sessionIndex !== undefined && { session_index: sessionIndex }),
    email,
    email_verified: true,
    attributes: Object.fromEntries(given),
  };
}

const NAMES = new Set(['given_name', 'family_name']);
