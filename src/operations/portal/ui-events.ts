import type { Rows } from '../../world/schema.ts';
import type { PortalSession } from './session.ts';

/** What the portal tells the site that frames it, by `postMessage` (reference: tenancy-and-errors 2). */
export interface UiEvent {
  event_type: string;
  object: 'connection' | 'directory' | 'session';
  organization_id?: string;
  message: string;
  data: Record<string, unknown>;
}

export function connectionSwitched(connection: Rows['connections']): UiEvent {
  const { id, type, provider, enabled, organization_id = '' } = connection;
  return {
    event_type: `ORGANIZATION_SSO_${enabled ? 'ENABLED' : 'DISABLED'}`,
    object: 'connection',
    organization_id,
    message: `Single sign-on connection ${enabled ? 'enabled' : 'disabled'} successfully`,
    data: { connection_type: 'SSO', id, type, provider, enabled, organization_id },
  };
}

export function directorySwitched(directory: Rows['directories']): UiEvent {
  const { id, organization_id, directory_type, directory_provider, enabled } = directory;
  return {
    event_type: `ORGANIZATION_DIRECTORY_${enabled ? 'ENABLED' : 'DISABLED'}`,
    object: 'directory',
    organization_id,
    message: `${directory_type} provisioning ${enabled ? 'enabled' : 'disabled'} successfully`,
    data: {
      directory_type,
      id,
      provider: directory_provider ?? 'DIRECTORY_PROVIDER_UNSPECIFIED',
      enabled,
    },
  };
}

const ofSession =
  (event_type: string, message: string) =>
  ({ organization_id, expires_at }: PortalSession): UiEvent => ({
    event_type,
    object: 'session',
    organization_id,
    message,
    data: { expiry: expires_at },
  });

// Unverified: the exact sentences.
export const loadSuccess = ofSession('PORTAL_LOAD_SUCCESS', 'Admin portal loaded successfully');
export const sessionWarning = ofSession('PORTAL_SESSION_WARNING', 'Admin portal session expires soon');
export const sessionExpiry = ofSession('PORTAL_SESSION_EXPIRY', 'Admin portal session has expired');

export const loadFailure = (error_code: string): UiEvent => ({
  event_type: 'PORTAL_LOAD_FAILURE',
  object: 'session',
  message: 'Admin portal failed to load',
  data: { error_code },
});
