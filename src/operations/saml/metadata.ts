import { serviceMetadata, providerMetadata } from '@understudy/saml/metadata';
import { CustomReply, type Operations } from '../handler.ts';
import { withSettings } from '../connections/settings.ts';
import { samlConnection } from './posting.ts';
import {
  logoutAddress,
  publishedCertificates,
  serviceKey,
  serviceOf,
  simulatedProviderOf,
  wantedNameId,
  wantedSignature,
} from './parties.ts';

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
