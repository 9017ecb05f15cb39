import type { Input } from '../../contract/types.ts';
import type { Transaction } from './transaction.ts';
import { deviceIn } from './device.ts';

type Asked = Input<'OAuth_Authorize'>['query'];
type Told = Input<'OAuth_Authorize'>['headers'];

/** What an authorization request says of who signs in, where and how, and from which device. */
export function wantedOf(asked: Asked, headers: Told) {
  const { organization_id, connection_id, provider, login_hint } = asked;
  const domain = asked.domain_hint || asked.domain;
  return {
    ...(login_hint && { login_hint }),
    ...(organization_id && { wanted_organization_id: organization_id }),
    ...(connection_id && { wanted_connection_id: connection_id }),
    ...(provider && { wanted_provider: provider }),
    ...(domain && { wanted_domain: domain }),
    ...(asked.understudy_auto === '1' && { is_automatic: true }),
    device: deviceIn(headers),
  } satisfies Partial<Transaction>;
}
