import type { Input } from '@understudy/core/contract/types';
import type { Env, Rows } from '@understudy/core/state/env';
import { failedPrecondition, invalidArgument } from '@understudy/core/contract/errors';
import { postedMessage } from '@understudy/saml/bindings';
import type { ReadAuthnRequest } from '@understudy/saml/message-reading';
import { NAME_ID_FORMATS, type NameIdFormat } from '@understudy/saml/names';
import { shown } from '@understudy/saml/refusal';
import { isWebAddress } from '@understudy/text/addresses';
import { Redirect, type CustomReply, type Operations } from '@understudy/core/operations/handler';
import {
  readAnswer,
  type ProviderAnswer,
  type ProviderForm,
  type ProviderFormProblems,
} from '../sign-in/answer-form.ts';
import { providerPage } from '../sign-in/provider-page.ts';
import { providerName } from '@understudy/core/operations/connections/sign-in-connection';
import type { Transaction } from '@understudy/core/operations/sign-in/transaction';
import {
  orRefusalPage,
  serviceOf,
  simulatedProviderOf,
} from '@understudy/core/operations/connections/saml-parties';
import { postingPage, samlConnection } from '@understudy/core/operations/hosted/posting';
import { checkedRequest } from './received-request.ts';
import { simulatedAnswer, type Receiver } from './simulated-answer.ts';

type Connection = Rows['connections'];
type AnswerForm = NonNullable<Input<'Saml_Answer'>['body']>;

/** The simulated identity provider as service providers see it: the service itself, and those of testers. */
export const providerPages = {
  Saml_SignOn({ path, query, body }, env) {
    const connection = samlConnection(env, path.connection_id);
    if (!body && query.SAMLRequest === undefined)
      return showPage(env, connection, unsolicited(env, connection, query));
    const { RelayState } = body ?? query;
    const request = orRefusalPage(() => checkedRequest(env, connection, { query, body }));
    const ours = transactionOf(env, connection, request, RelayState);
    if (ours) return new Redirect(`${env.baseUrl}/ui/identity-provider/${ours.id}`);
    return showPage(env, connection, requested(env, connection, request, RelayState));
  },

  Saml_Answer({ path, body = {} }, env) {
    const connection = samlConnection(env, path.connection_id);
    const answer = readAnswer(connection, body);
    if ('problems' in answer) return showPage(env, connection, body, body, answer.problems);
    const receiver = receiverOf(env, connection, body);
    const { RelayState: relayState } = body;
    return orRefusalPage(() => postAnswer(env, connection, { receiver, answer, form: body, relayState }));
  },
} satisfies Partial<Operations>;

/** The sign-in of the service that has sent the request. */
function transactionOf(
  env: Env,
  connection: Connection,
  { id, issuer }: ReadAuthnRequest,
  relayState: string | undefined,
): Transaction | undefined {
  if (issuer !== serviceOf(env, connection).entityId) return undefined;
  const transaction = relayState === undefined ? undefined : env.login_transactions.find(relayState);
  return transaction?.saml_request_id === id ? transaction : undefined;
}

type Carried = Pick<AnswerForm, 'acs' | 'audience' | 'in_response_to' | 'name_id_format' | 'RelayState'>;

function requested(
  env: Env,
  connection: Connection,
  { id, issuer, consumerUrl, nameIdFormat }: ReadAuthnRequest,
  RelayState: string | undefined,
): Carried {
  const service = serviceOf(env, connection);
  const acs = consumerUrl ?? (issuer === service.entityId ? service.consumerUrl : undefined);
  if (!acs)
    throw invalidArgument(
      `the request of ${shown(issuer)} has no AssertionConsumerServiceURL: the simulated provider does not know where to answer`,
    );
  return {
    acs: webAddress(acs),
    audience: issuer,
    in_response_to: id,
    ...(nameIdFormat && { name_id_format: nameIdFormat }),
    ...(RelayState !== undefined && { RelayState }),
  };
}

/** As Shibboleth names the parameters of a sign-in that starts at the identity provider. */
function unsolicited(
  env: Env,
  connection: Connection,
  { providerId, shire, target }: Input<'Saml_SignOn'>['query'],
): Carried {
  if (Boolean(providerId) !== Boolean(shire))
    throw invalidArgument(
      'give both: providerId, the entity id of the service provider, and shire, its address',
    );
  const service = serviceOf(env, connection);
  return {
    acs: webAddress(shire ?? service.consumerUrl),
    audience: providerId ?? service.entityId,
    ...(target !== undefined && { RelayState: target }),
  };
}

function webAddress(address: string): string {
  if (isWebAddress(address)) return address;
  throw failedPrecondition(`a SAML response must go to an http or https address, not to ${address}`);
}

function showPage(
  env: Env,
  connection: Connection,
  { acs, audience, in_response_to, name_id_format, RelayState }: Carried,
  filled?: ProviderForm,
  problems?: ProviderFormProblems,
): CustomReply {
  return providerPage(env, {
    connection,
    action: simulatedProviderOf(env, connection).answerUrl,
    carried: { acs, audience, in_response_to, name_id_format, RelayState },
    isForeign: audience !== undefined && audience !== serviceOf(env, connection).entityId,
    purpose: `To continue to ${audience ?? serviceOf(env, connection).entityId}`,
    ...(filled && { filled }),
    ...(problems && { problems }),
  });
}

function receiverOf(
  env: Env,
  connection: Connection,
  { acs, audience, in_response_to, name_id_format }: AnswerForm,
): Receiver {
  const service = serviceOf(env, connection);
  const named = audience || service.entityId;
  return {
    consumerUrl: acs || service.consumerUrl,
    audience: named,
    inResponseTo: in_response_to || undefined,
    nameIdFormat: isFormat(name_id_format) ? name_id_format : undefined,
    isService: named === service.entityId,
  };
}

const isFormat = (format: string | undefined): format is NameIdFormat =>
  format !== undefined && format in NAME_ID_FORMATS;

interface PostedAnswer {
  receiver: Receiver;
  answer: ProviderAnswer;
  form: ProviderForm;
  relayState: string | undefined;
}

/** The page that posts the provider's answer to the service provider. */
export function postAnswer(
  env: Env,
  connection: Connection,
  { relayState, ...answered }: PostedAnswer,
): CustomReply {
  const xml = simulatedAnswer(env, connection, answered);
  const { consumerUrl, audience } = answered.receiver;
  env.note(`SAML response to ${shown(consumerUrl)} for ${shown(audience)}`);
  return postingPage({
    title: `Back from ${providerName(connection)}`,
    address: answered.receiver.consumerUrl,
    fields: { SAMLResponse: postedMessage(xml), RelayState: relayState },
  });
}
