import type { Rows } from '../../world/schema.ts';

type Session = Rows['sessions'];
type Device = NonNullable<Session['device']>;

export function viewSession(session: Session) {
  const { id, client_ids, device, organization_id = '', ...shown } = withoutProof(session);
  return {
    ...shown,
    session_id: id,
    organization_id,
    authenticated_clients: client_ids.map((client_id) => ({ client_id, organization_id })),
    ...(device && { device: viewDevice(device) }),
  };
}

export function viewRevoked(session: Session) {
  const { id, client_ids: _, device: __, ...rest } = withoutProof(session);
  const { organization_id: ___, authenticated_organizations: ____, expired_at, ...shown } = rest;
  return { ...shown, session_id: id, expired_at: expired_at ?? session.updated_at };
}

/** The browser's cookie, and how the user proved who they are, are nobody's business. */
const withoutProof = ({ cookie: _, connection_ids: __, issuer: ___, ...session }: Session) => session;

const TEXTS = {
  user_agent: '',
  os: '',
  os_version: '',
  browser: '',
  browser_version: '',
  device_type: '',
  ip: '',
};
const PLACE = { region: '', region_subdivision: '', city: '', latitude: '', longitude: '' };

function viewDevice({ location, ...device }: Device) {
  return { ...TEXTS, ...device, ...(location && { location: { ...PLACE, ...location } }) };
}
