import { ApiError, failedPrecondition, invalidArgument } from '../../errors.ts';
import type { Rows } from '../../world/schema.ts';
import type { World } from '../../world/world.ts';
import { carrying } from '../environment-mark.ts';
import { noteMailTo, stillCounting } from './attempts.ts';
import { drawCredentials, isRight, type Credential } from './credentials.ts';
import { passwordlessConfig } from './passwordless-config.ts';
import { linkOf, mailPasswordless } from './passwordless-mail.ts';
import { mailVerification } from '../mails/verification-mail.ts';
import { isTestUser } from './test-users.ts';

type Request = Rows['passwordless_requests'];

export type WantedRequest = Pick<Request, 'email'> &
  Partial<
    Pick<
      Request,
      'template' | 'magiclink_auth_uri' | 'state' | 'template_variables' | 'expires_in' | 'purpose'
    >
  >;

const MOST_WRONG_CODES = 5;
const WRONG_CODES_COUNT = 10 * 60_000;

/** Mails a code or a link; throws `rate_limited` when the address had its share. */
export function beginRequest(world: World, { expires_in, ...wanted }: WantedRequest): Request {
  const { type, validity } = passwordlessConfig(world);
  const lifetime = expires_in || validity;
  const request = world.passwordless_requests.insert({
    ...wanted,
    id: carrying(world, world.draw.text(50)),
    passwordless_type: type,
    status: 'PENDING',
    expires_in: lifetime,
    expires_at: world.clock.after(lifetime * 1000),
    sent_at: noteMailTo(world, wanted.email),
    failed_at: [],
    ...drawCredentials(world, type, wanted.email),
  });
  mail(world, request);
  return request;
}

/** As `beginRequest`, with the same id. Unverified: one that ran out begins again. */
export function renewRequest(world: World, request: Request): Request {
  const { id, email, expires_in, passwordless_type, sent_at } = request;
  refuseUnlessOpen(request);
  const renewed = world.passwordless_requests.update(id, {
    status: 'PENDING',
    expires_at: world.clock.after(expires_in * 1000),
    sent_at: [...stillCounting(world, sent_at), ...noteMailTo(world, email)],
    ...(passwordlessConfig(world).isRenewedOnResend && drawCredentials(world, passwordless_type, email)),
  });
  mail(world, renewed);
  return renewed;
}

/** A credential proves the address, once. Throws for a wrong one, which counts all the same. */
export function redeem(world: World, request: Request, credential: Credential): void {
  refuseUnlessOpen(request);
  // Unverified: a request that ran out is refused as a wrong code is.
  if (request.status === 'EXPIRED') throw invalidArgument('code or link has expired');
  if (!isRight(request, credential)) throw wrong(world, request, credential);
  world.passwordless_requests.update(request.id, { status: 'VERIFIED' });
}

function mail(world: World, request: Request): void {
  if (isTestUser(world, request.email)) return;
  if (request.purpose === 'verification') mailVerification(world, { ...request, link: linkOf(request) });
  else mailPasswordless(world, request);
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
