import { serviceMetadata, providerMetadata } from '@understudy/saml/metadata';
import { CustomReply, type Operations } from '@understudy/core/operations/handler';
import { withSettings } from '@understudy/core/operations/connections/settings';
import { samlConnection } from '@understudy/core/operations/hosted/posting';
import {
  logoutAddress,
  publishedCertificates,
  serviceKey,
  serviceOf,
  simulatedProviderOf,
  wantedNameId,
  wantedSignature,
} from '@understudy/core/operations/connections/saml-parties';

/** What service and simulated provider tell each other, and others, about themselves. */
export const metadata = {
  Saml_GetServiceMetadata({ path }, env) {
    const connection = samlConnection(env, path.connection_id);
    const { saml_config } = withSettings(env, connection);
    return metadataReply(
      serviceMetadata({
        ...serviceOf(env, connection),
        logoutUrl: logoutAddress(env, connection),
        logoutAnswerUrl: serviceOf(env, connection).logoutUrl,
        certificate: serviceKey().certificate,
        signsRequests: saml_config?.want_request_signed ?? false,
        wantsAssertionsSigned: wantedSignature(saml_config) !== 'response',
        nameIdFormat: wantedNameId(saml_config),
        now: env.clock.ms,
      }),
    );
  },

  Saml_GetProviderMetadata({ path }, env) {
    const connection = samlConnection(env, path.connection_id);
    return metadataReply(
      providerMetadata({
        ...simulatedProviderOf(env, connection),
        certificates: publishedCertificates(connection),
        now: env.clock.ms,
      }),
    );
  },
} satisfies Partial<Operations>;

const metadataReply = (xml: string) =>
  new CustomReply(200, { 'content-type': 'application/samlmetadata+xml' }, xml);
