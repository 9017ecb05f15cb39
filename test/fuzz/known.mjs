const ACCEPTED = 'positive_data_acceptance';
const ANYWHERE = /./;

/** Findings that stay, each with its reason. `on` is the operation as the fuzzer names it; `says` is in the finding. */
export const KNOWN = [
  {
    check: ACCEPTED,
    on: ANYWHERE,
    says: /not found|is not known|no event is of type|there is no event type|unknown operation|no such name|has no connections|is not an active member|link_token is wrong|invalid code|invalid refresh token|has no active connected account/,
    reason: 'The request names something that does not exist; no schema knows what exists.',
  },
  {
    check: ACCEPTED,
    on: ANYWHERE,
    says: /duplicate|is built in and cannot be changed|last client cannot be deleted|is enabled; disable it|is (DRAFT|IN_PROGRESS), not COMPLETED|can not become|may get at most|is in use by|only active sessions can be revoked/,
    reason: 'The state forbids it: it exists already, is built in, or must change first.',
  },
  {
    check: ACCEPTED,
    on: ANYWHERE,
    says: /exclude each other|mutually exclusive|not several|give the id of the connected account|"filter","description":"value is required"|must be after filter.start_time/,
    reason: 'A rule between two parameters, for which OpenAPI has no words.',
  },
  {
    check: ACCEPTED,
    on: ANYWHERE,
    says: /invalid page_token/,
    reason: 'Page tokens are made by the program; a drawn one is none.',
  },
  {
    check: ACCEPTED,
    on: /\/(-|this)(:disconnect)?$/,
    says: /the token is bound to no connected account/,
    reason: 'For tokens of connected accounts; the fuzzer has that of a client.',
  },
  {
    check: ACCEPTED,
    on: /userinfo$/,
    says: /is not for the token of a client/,
    reason: 'For tokens of users; the fuzzer has that of a client.',
  },
  {
    check: ACCEPTED,
    on: /(sessions|logs\/authentication\/requests)$/,
    says: /is not one of/,
    reason: 'A word in upper or lower case, as the service takes it; JSON Schema has no such enum.',
  },
  {
    check: ACCEPTED,
    on: /session-policy$/,
    says: /_session_timeout (is required|must be)/,
    reason: 'The bounds of each timeout depend on its unit and on the other timeout.',
  },
  {
    check: ACCEPTED,
    on: /(clients|interceptors)(\/\{\w+\})?$/,
    says: /must be an absolute address|must be an http or https address|"value must be greater than or equal to/,
    reason: 'The service has a message of its own for what it refuses as an address or an expiry.',
  },
  {
    check: ACCEPTED,
    on: /interceptors(\/\{id\})?$/,
    says: /auth_config\.\w+","description":"value is required/,
    reason: 'What has to be in `auth_config` depends on its type.',
  },
  {
    check: ACCEPTED,
    on: /connections(\/\{\w+\})?$/,
    says: /connection type is required|provider or provider_key is required|invalid value for (key_id|provider_key)|are not supported yet/,
    reason: 'What a connection needs depends on its type, and the service has messages of its own for it.',
  },
  {
    check: ACCEPTED,
    on: /\/tokens$/,
    says: /is not a time in the future/,
    reason: 'A time that is over; no schema knows the clock.',
  },
  {
    check: ACCEPTED,
    on: /oauth\/authorize|oidc\/logout|sso\/v1|ui\/identity-provider/,
    says: /\b400 [A-Z]/,
    reason:
      'A page for a browser on its way through a sign-in, with addresses and tokens that nobody has made.',
  },
  {
    check: 'unsupported_method',
    on: ANYWHERE,
    says: /Return 405 for methods not listed/,
    reason: 'The path is also that of another operation, whose variable it fills.',
  },
  {
    check: ACCEPTED,
    on: /requests\/verify$/,
    says: /is more than at_most|must be a value, or name an operator/,
    reason: 'A rule between two numbers; and operators, which only the program knows.',
  },
];
