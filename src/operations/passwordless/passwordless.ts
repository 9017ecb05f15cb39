import { missingFields, validationError } from '../../errors.ts';
import type { Rows } from '../../environment/rows/schema.ts';
import type { Operations } from '../handler.ts';
import { findRequest, passwordlessConfig } from './credentials.ts';
import { beginRequest, verifyCredential, renewRequest } from './requests.ts';

type Request = Rows['passwordless_requests'];

/** The service fills in these variables itself (comment in the vendor's .proto files). */
const RESERVED = ['otp', 'expiry_time_relative', 'link', 'expire_time', 'expiry_time'];

export const passwordless = {
  PasswordlessService_SendPasswordlessEmail({ body }, env) {
    refuseReserved(body.template_variables);
    // Unverified: the docs require a page for links, but do not give the error.
    if (passwordlessConfig(env).type !== 'OTP' && !body.magiclink_auth_uri)
      throw missingFields('magiclink_auth_uri');
    return viewSent(beginRequest(env, body));
  },

  PasswordlessService_VerifyPasswordlessEmail({ body }, env) {
    const request = findRequest(env, body);
    verifyCredential(env, request, body);
    const { email, state, template, passwordless_type } = request;
    return { email, passwordless_type, ...(state && { state }), ...(template && { template }) };
  },

  PasswordlessService_ResendPasswordlessEmail({ body }, env) {
    return viewSent(renewRequest(env, env.passwordless_requests.get(body.auth_request_id)));
  },
} satisfies Partial<Operations>;

function viewSent({ id, expires_at, expires_in, passwordless_type }: Request) {
  const seconds = Math.floor(Date.parse(expires_at) / 1000);
  return { auth_request_id: id, expires_at: String(seconds), expires_in, passwordless_type };
}

function refuseReserved(variables: Request['template_variables'] = {}): void {
  const reserved = Object.keys(variables).filter((name) => RESERVED.includes(name));
  if (reserved.length === 0) return;
  throw validationError(
    reserved.map((name) => ({
      field: `template_variables["${name}"]`,
      description: `${name} is reserved: the service fills it in`,
      constraint: 'template_variables.reserved',
    })),
  );
}
