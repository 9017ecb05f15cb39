import {
  ApiError,
  failedPrecondition,
  invalidArgument,
  missingFields,
  validationError,
} from '../../errors.ts';
import type { Rows } from '../../world/schema.ts';
import type { World } from '../../world/world.ts';
import type { Operations } from '../handler.ts';
import { carrying } from '../environment-mark.ts';
import { noteMailTo, stillCounting } from './attempts.ts';
import { drawCredentials, findRequest, isRight, type Credential } from './credentials.ts';
import { mailPasswordless } from './passwordless-mail.ts';

type Request = Rows['passwordless_requests'];

const MOST_WRONG_CODES = 5;
const WRONG_CODES_COUNT = 10 * 60_000;

/** The service fills these in itself (reference: login-and-tokens 5.1). */
const RESERVED = ['otp', 'expiry_time_relative', 'link', 'expire_time', 'expiry_time'];

export const passwordless = {
  PasswordlessService_SendPasswordlessEmail({ body }, world) {
    const { passwordless_type, passwordless_validity } = world.settings.get('settings');
    const { expires_in, ...wanted } = body;
    refuseReserved(wanted.template_variables);
    // Unverified: the service says that a link needs its page, not how it refuses a call without.
    if (passwordless_type !== 'OTP' && !wanted.magiclink_auth_uri) throw missingFields('magiclink_auth_uri');
    const lifetime = expires_in || passwordless_validity;
    const request = world.passwordless_requests.insert({
      ...wanted,
      id: carrying(world, world.draw.text(50)),
      passwordless_type,
      status: 'PENDING',
      expires_in: lifetime,
      expires_at: world.clock.after(lifetime * 1000),
      sent_at: noteMailTo(world, wanted.email),
      failed_at: [],
      ...drawCredentials(world, passwordless_type),
    });
    return send(world, request);
  },

  PasswordlessService_VerifyPasswordlessEmail({ body }, world) {
    const request = findRequest(world, body);
    refuseUnlessOpen(request);
    // Unverified: a request that ran out is refused as a wrong code is.
    if (request.status === 'EXPIRED') throw invalidArgument('code or link has expired');
    if (!isRight(request, body)) throw wrong(world, request, body);
    world.passwordless_requests.update(request.id, { status: 'VERIFIED' });
    const { email, state, template, passwordless_type } = request;
    return { email, passwordless_type, ...(state && { state }), ...(template && { template }) };
  },

  PasswordlessService_ResendPasswordlessEmail({ body }, world) {
    const { id, email, expires_in, passwordless_type, ...request } = world.passwordless_requests.get(
      body.auth_request_id,
    );
    // Unverified: one that ran out begins again.
    refuseUnlessOpen(request);
    const { passwordless_regenerate_on_resend } = world.settings.get('settings');
    const renewed = world.passwordless_requests.update(id, {
      status: 'PENDING',
      expires_at: world.clock.after(expires_in * 1000),
      sent_at: [...stillCounting(world, request.sent_at), ...noteMailTo(world, email)],
      ...(passwordless_regenerate_on_resend && drawCredentials(world, passwordless_type)),
    });
    return send(world, renewed);
  },
} satisfies Partial<Operations>;

function send(world: World, request: Request) {
  mailPasswordless(world, request);
  const { id, expires_at, expires_in, passwordless_type } = request;
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

function refuseUnlessOpen({ status }: Pick<Request, 'status'>): void {
  // Unverified: a request takes no second verification; the service does not document the failure.
  if (status === 'VERIFIED') throw failedPrecondition('code or link was used already');
  if (status === 'BLOCKED')
    throw new ApiError('rate_limited', 'too many wrong codes: begin again with a new request');
}

/** Wrong codes count, though the call fails. Unverified: the fifth is still answered as wrong, then all are refused. */
function wrong(world: World, { id, failed_at }: Request, { code }: Credential): ApiError {
  if (code === undefined) return invalidArgument('link_token is wrong');
  const failures = [...stillCounting(world, failed_at, WRONG_CODES_COUNT), world.clock.iso()];
  world.passwordless_requests.update(id, {
    failed_at: failures,
    ...(failures.length >= MOST_WRONG_CODES && { status: 'BLOCKED' }),
  });
  return new ApiError('invalid_argument', 'code is wrong', { writesStand: true });
}
