import type { Env, Rows } from '@understudy/core/state/env';
import {
  canEncrypt,
  readCertificate,
  readServiceMetadata,
  type ServiceDescription,
} from '@understudy/saml/metadata-reading';
import { SamlRefusal } from '@understudy/saml/refusal';
import { serviceKey, serviceOf } from '@understudy/core/operations/connections/saml-parties';

type Connection = Rows['connections'];
type Given = NonNullable<NonNullable<Connection['saml_provider']>['service_providers']>[number];

/** What the simulated provider knows about a service provider. */
interface KnownServiceProvider {
  /** PEM: they check the signatures of requests. */
  signing: readonly string[];
  /** PEM: assertions are encrypted for it. */
  encryption: string | undefined;
  /** Whether a request without signature is refused. */
  mustSign: boolean;
  mustSignLogout: boolean;
  /** Where the answer to a sign-out goes. */
  logout: ServiceDescription['logout'];
}

/** The service itself, or a service provider that `saml_provider` names. Throws `SamlRefusal` for what cannot be read. */
export function serviceProviderOf(
  env: Env,
  connection: Connection,
  entityId: string,
): KnownServiceProvider | undefined {
  if (entityId === serviceOf(env, connection).entityId) {
    const { certificate } = serviceKey();
    const mustSign = connection.saml_config?.want_request_signed ?? false;
    return {
      signing: [certificate],
      encryption: certificate,
      mustSign,
      mustSignLogout: mustSign,
      logout: {},
    };
  }
  const given = connection.saml_provider?.service_providers?.find(({ entity_id }) => entity_id === entityId);
  return given && readGiven(given);
}

function readGiven(given: Given): KnownServiceProvider {
  const { entity_id, certificate, metadata, want_request_signed, logout_url } = given;
  const own = certificate ? [readCertificate(certificate)] : [];
  const described = metadata ? readServiceMetadata(metadata) : undefined;
  if (described && described.entityId !== entity_id)
    throw new SamlRefusal({
      check: 'message',
      problem: 'the metadata in saml_provider describes another service provider',
      expected: entity_id,
      received: described.entityId,
      error: 'invalid_saml_metadata',
    });
  const signing = [...own, ...(described?.signing ?? [])];
  return {
    signing,
    encryption: [...own, ...(described?.encryption ?? [])].find(canEncrypt),
    mustSign: want_request_signed ?? described?.signsRequests ?? false,
    mustSignLogout: signing.length > 0,
    logout: logout_url ? { HTTP_REDIRECT: logout_url, HTTP_POST: logout_url } : (described?.logout ?? {}),
  };
}
