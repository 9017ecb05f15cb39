import { stateCause, timeCause, rowNamed } from '../../contract/cause.ts';
import { validationError, ApiError, failedPrecondition, invalidArgument } from '../../contract/errors.ts';
import type { Rows, Env } from '../../state/env.ts';
import { readableTime } from '../../pages/controls.ts';
import { withEnvironmentName } from '@understudy/text/issued-code';
import type { Operations } from '../handler.ts';
import { sendMail, highlightedLine, mailVerification } from '../mails.ts';
import { isActive } from '../connections/sign-in-connection.ts';

type Request = Rows['passwordless_requests'];

/** The service fills in these variables itself (comment in the vendor's .proto files). */
const RESERVED = ['otp', 'expiry_time_relative', 'link', 'expire_time', 'expiry_time'];

const PAGE_MISSING = {
  field: 'magiclink_auth_uri',
  description: 'magiclink_auth_uri is required',
  constraint: 'required',
};

export const passwordless = {
  PasswordlessService_SendPasswordlessEmail({ body }, env) {
    refuseReserved(body.template_variables);
    // Unverified (passwordless/missing-page-for-link): the docs require a page for links, but do not give the error;
    // applications look for the name.
    if (passwordlessConfig(env).type !== 'OTP' && !body.magiclink_auth_uri)
      throw validationError([PAGE_MISSING], PAGE_MISSING.description).decidedBy(
        'passwordless/missing-page-for-link',
      );
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

type WantedRequest = Pick<Request, 'email'> &
  Partial<
    Pick<
      Request,
      'template' | 'magiclink_auth_uri' | 'state' | 'template_variables' | 'expires_in' | 'purpose'
    >
  >;

const MOST_WRONG_CODES = 5;
const WRONG_CODES_COUNT = 10 * 60_000;

/** Mails a code or a link. Throws `rate_limited` if the address got too many mails. */
export function beginRequest(env: Env, { expires_in, ...wanted }: WantedRequest): Request {
  const { type, validity } = passwordlessConfig(env);
  const lifetime = expires_in || validity;
  const request = env.passwordless_requests.insert({
    ...wanted,
    id: withEnvironmentName(env, env.draw.text(50)),
    passwordless_type: type,
    status: 'PENDING',
    expires_in: lifetime,
    expires_at: env.clock.after(lifetime * 1000),
    sent_at: countMailTo(env, wanted.email),
    failed_at: [],
    ...drawCredentials(env, type, wanted.email),
  });
  mail(env, request);
  return request;
}

/** Like `beginRequest`, with the same id. An expired request starts again (descriptors of the Python SDK). */
export function renewRequest(env: Env, request: Request): Request {
  const { id, email, expires_in, passwordless_type, sent_at } = request;
  refuseUnlessOpen(request);
  const renewed = env.passwordless_requests.update(id, {
    status: 'PENDING',
    expires_at: env.clock.after(expires_in * 1000),
    sent_at: [...recentTimes(env, sent_at), ...countMailTo(env, email)],
    ...(passwordlessConfig(env).isRenewedOnResend && drawCredentials(env, passwordless_type, email)),
  });
  mail(env, renewed);
  return renewed;
}

/** Verifies a credential, once. Throws for a wrong one and counts it. */
export function verifyCredential(env: Env, request: Request, credential: Credential): void {
  refuseUnlessOpen(request);
  // Unverified (passwordless/expired-request): an expired request fails like a wrong code.
  if (request.status === 'EXPIRED')
    throw invalidArgument('code or link has expired')
      .decidedBy('passwordless/expired-request')
      .because(timeCause(request.expires_at));
  if (!isRight(request, credential)) throw countWrongCode(env, request, credential);
  env.passwordless_requests.update(request.id, { status: 'VERIFIED' });
}

function mail(env: Env, request: Request): void {
  if (isTestUser(env, request.email)) return;
  if (request.purpose === 'verification') mailVerification(env, { ...request, link: linkOf(request) });
  else mailPasswordless(env, request);
}

function refuseUnlessOpen({ id, status }: Pick<Request, 'id' | 'status'>): void {
  // Unverified (passwordless/verified-twice): a second verification fails; the docs do not give the error.
  if (status === 'VERIFIED')
    throw failedPrecondition('code or link was used already', {
      rows: [rowNamed('passwordless_requests', { id })],
      leads: ['PasswordlessService_SendPasswordlessEmail'],
    }).decidedBy('passwordless/verified-twice');
  if (status === 'BLOCKED')
    throw new ApiError('rate_limited', 'too many wrong codes: start again with a new request');
}

/**
 * Counts a wrong code even though the call fails. Unverified (passwordless/wrong-codes): the fifth one still fails as
 * wrong, later ones as too many.
 */
function countWrongCode(env: Env, { id, failed_at }: Request, { code }: Credential): ApiError {
  if (code === undefined) return invalidArgument('link_token is wrong');
  const failures = [...recentTimes(env, failed_at, WRONG_CODES_COUNT), env.clock.iso()];
  env.passwordless_requests.update(id, {
    failed_at: failures,
    ...(failures.length >= MOST_WRONG_CODES && { status: 'BLOCKED' }),
  });
  if (failures.length >= MOST_WRONG_CODES) env.decidedBy('passwordless/wrong-codes');
  return new ApiError('invalid_argument', 'code is wrong', {
    writesStand: true,
    why: stateCause(
      `the code is not the latest one that was mailed for request ${id}`,
      `passwordless_requests/${id}`,
    ),
  });
}

const MINUTE = 60_000;

/** The times within the last `window` milliseconds. */
const recentTimes = (env: Env, times: readonly string[], window = MINUTE): string[] =>
  times.filter((time) => Date.parse(time) > env.clock.ms - window);

/** Counts one more mail to the address. Throws `rate_limited` above the limit per minute. */
function countMailTo(env: Env, email: string): string[] {
  const { frequency: most } = passwordlessConfig(env);
  const requests = env.passwordless_requests.list('email', email.toLowerCase());
  const sent = requests.reduce((sum, { sent_at }) => sum + recentTimes(env, sent_at).length, 0);
  if (most > 0 && sent >= most)
    throw new ApiError('rate_limited', `${email} may get at most ${most} mails a minute`);
  return [env.clock.iso()];
}

/** Mails the code or the link to the person who signs in. */
function mailPasswordless(env: Env, request: Request): void {
  const { email, template, code, template_variables, expires_at } = request;
  const link = linkOf(request);
  const act = template === 'SIGNUP' ? 'sign up' : 'sign in';
  const ways = [code && 'enter the code', link && 'follow the link'].filter(Boolean).join(', or ');
  sendMail(env, {
    kind: 'passwordless',
    to: email,
    subject: code ? `${code} is your code to ${act}` : `Your link to ${act}`,
    paragraphs: [
      ways && `To ${act}, ${ways}.`,
      highlightedLine('Your code', code),
      highlightedLine(template === 'SIGNUP' ? 'Sign up' : 'Sign in', link),
      `You can use this once, until ${readableTime(expires_at)}.`,
      'If this was not you, ignore this mail: nobody can sign in without it.',
    ],
    code,
    link,
    template_variables,
  });
}

/** The application's own page, with the token in its query. */
function linkOf({ magiclink_auth_uri, link_token }: Request): string | undefined {
  if (!link_token || !magiclink_auth_uri) return undefined;
  const [page = '', ...fragment] = magiclink_auth_uri.split('#');
  const query = `${page.includes('?') ? '&' : '?'}link_token=${encodeURIComponent(link_token)}`;
  return [`${page}${query}`, ...fragment].join('#');
}

/** The credential that a caller presents. */
interface Credential {
  code?: string;
  link_token?: string;
  auth_request_id?: string;
}

/** Unverified (passwordless/code-alphabet): the alphabet. This one leaves out letters that look like digits. */
const ALPHABETS = { NUMERIC: '0123456789', ALPHANUMERIC: 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789' } as const;

function drawCredentials(env: Env, type: Request['passwordless_type'], email: string) {
  const drawn = drawCode(env, passwordlessConfig(env));
  const code = isTestUser(env, email) ? testCode(env) : drawn;
  const link_token = withEnvironmentName(env, `${env.draw.uuid()}_l`);
  return { ...(type !== 'LINK' && { code }), ...(type !== 'OTP' && { link_token }) };
}

function drawCode({ draw }: Env, { codeLength, codeType }: PasswordlessConfig): string {
  const alphabet = ALPHABETS[codeType];
  return Array.from({ length: codeLength }, () => alphabet[draw.integer() % alphabet.length]).join('');
}

function findRequest(env: Env, { code, link_token, auth_request_id }: Credential): Request {
  if (code !== undefined && link_token !== undefined)
    throw invalidArgument('code and link_token exclude each other');
  if (code === undefined && link_token === undefined) throw invalidArgument('code or link_token is required');
  if (auth_request_id) return env.passwordless_requests.get(auth_request_id);
  if (link_token === undefined) throw invalidArgument('a code is verified with its auth_request_id');
  if (passwordlessConfig(env).isForSameBrowser)
    throw invalidArgument('a link is verified with its auth_request_id, in the browser that asked for it');
  const request = env.passwordless_requests.findBy('link_token', link_token);
  if (!request) throw invalidArgument('link_token is wrong');
  return request;
}

const isRight = (request: Request, { code, link_token }: Credential) =>
  code === undefined ? request.link_token === link_token : request.code === code;

/** For users that the settings list as test users (Scalekit docs, Run E2E tests). */
export const STATIC_CODE = '424242';

/** Somebody whose code is never mailed. Nobody is if mails have only a link (Scalekit docs, Run E2E tests). */
export function isTestUser(env: Env, email: string): boolean {
  const { enabled = true, emails = [] } = env.settings.get('settings').test_users ?? {};
  if (!enabled || passwordlessConfig(env).type === 'LINK') return false;
  return emails.some((each) => each.toLowerCase() === email.toLowerCase());
}

const testCode = (env: Env) => env.settings.get('settings').test_users?.code ?? STATIC_CODE;

type Connection = Rows['connections'];

/** The kind of credential that is mailed, and its rules. */
interface PasswordlessConfig {
  type: 'OTP' | 'LINK' | 'LINK_OTP';
  /** In seconds. */
  validity: number;
  /** Mails to one address per minute; 0 means no limit. */
  frequency: number;
  codeLength: number;
  codeType: 'NUMERIC' | 'ALPHANUMERIC';
  isForSameBrowser: boolean;
  isRenewedOnResend: boolean;
}

/** The environment's passwordless connection, preferably an enabled one. */
export function passwordlessConnection(env: Env): Connection | undefined {
  const all = env.connections.list('scope', 'login').filter(({ type }) => type === 'PASSWORDLESS');
  return all.find(isActive) ?? all[0];
}

/**
 * The settings of the environment's passwordless connection, whether it is enabled or not. A setting that it lacks has the
 * documented default (Scalekit docs, Passwordless).
 * Unverified (passwordless/settings-of-simulator): the simulator's own settings override them.
 */
export function passwordlessConfig(env: Env): PasswordlessConfig {
  const config = passwordlessConnection(env)?.passwordless_config ?? {};
  const settings = env.settings.get('settings');
  return {
    type: settings.passwordless_type ?? typeOf(config),
    validity: settings.passwordless_validity ?? (config.validity || 300),
    // Mails a minute to one address, sent again or not (Scalekit docs, Passwordless).
    frequency: settings.passwordless_mails_per_minute ?? config.frequency ?? 2,
    // Unverified (passwordless/longest-code): the length is capped at the longest code that can be verified.
    codeLength: Math.min(config.code_challenge_length || 6, 20),
    codeType: config.code_challenge_type === 'ALPHANUMERIC' ? 'ALPHANUMERIC' : 'NUMERIC',
    isForSameBrowser:
      settings.passwordless_same_browser_origin ?? config.enforce_same_browser_origin ?? false,
    isRenewedOnResend:
      settings.passwordless_regenerate_on_resend ??
      config.regenerate_passwordless_credentials_on_resend ??
      false,
  };
}

const typeOf = ({ type }: NonNullable<Connection['passwordless_config']>) =>
  type && type !== 'PasswordlessType_UNSPECIFIED' ? type : 'OTP';
