import type { Input } from '../../contract/types.ts';
import type { Transaction } from './transaction.ts';
import { deviceOf } from './device.ts';

type Asked = Input<'OAuth_Authorize'>['query'];
type Told = Input<'OAuth_Authorize'>['headers'];

/** Calls that name no address came from this machine. */
const HERE = '127.0.0.1';

/** What an authorization request says of who signs in, where and how, and from which device. */
export function wantedOf(asked: Asked, headers: Told) {
  const { organization_id, connection_id, provider, login_hint } = asked;
  const domain = asked.domain_hint || asked.domain;
  const [ip = HERE] = (headers['x-forwarded-for'] ?? HERE).split(',');
  return {
    ...(login_hint && { login_hint }),
    ...(organization_id && { wanted_organization_id: organization_id }),
    ...(connection_id && { wanted_connection_id: connection_id }),
    ...(provider && { wanted_provider: provider }),
    ...(domain && { wanted_domain: domain }),
    ...(asked.understudy_auto === '1' && { is_automatic: true }),
    device: deviceOf(headers['user-agent'] ?? '', ip.trim()),
  } satisfies Partial<Transaction>;
}
