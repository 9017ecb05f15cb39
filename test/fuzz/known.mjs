const ACCEPTED = 'positive_data_acceptance';
const ANYWHERE = /./;

/**
 * Accepted findings, each with its reason. `on` matches the fuzzer's name of the operation, and `says` the
 * text of the finding.
 */
export const KNOWN = [
  {
    check: ACCEPTED,
    on: ANYWHERE,
    says: /not found|is not known|no event is of type|there is no event type|has no (such )?member|unknown operation|no such name|has no connections|is not an active member|link_token is wrong|invalid code|invalid refresh token|has no active connected account|is unknown or has expired|has no group/,
    reason: 'The request names something that does not exist; no schema knows what exists.',
  },
  {
    check: ACCEPTED,
    on: ANYWHERE,
    says: /duplicate|is built in and cannot be changed|last client cannot be deleted|at least one secret is required|is enabled; disable it|is (DRAFT|IN_PROGRESS), not COMPLETED|cannot become|may get at most|is in use by|only active sessions can be revoked|own client, which cannot be deleted|only \d+ secrets are allowed|has no api_url|is USER, not ORG_WIDE|because none are saved/,
    reason: 'The state forbids it: it exists already, is built in, or must change first.',
  },
  {
    check: ACCEPTED,
    on: ANYWHERE,
    says: /exclude each other|mutually exclusive|not several|not both|give the id of the connected account|"filter","description":"value is required"|must be after filter.start_time|is after end_time/,
    reason: 'A rule between two parameters, which OpenAPI cannot express.',
  },
  {
    check: ACCEPTED,
    on: ANYWHERE,
    says: /invalid page_token/,
    reason: 'Only the program creates page tokens; a random one is invalid.',
  },
  {
    check: ACCEPTED,
    on: ANYWHERE,
    says: /is no moment: name a request|: exchange from and to|the history of environment/,
    reason: 'Whether a text is a moment, and which of two is later, depends on the calls and commits so far.',
  },
  {
    check: ACCEPTED,
    on: /\/(-|this)(:disconnect)?$/,
    says: /the token is bound to no connected account/,
    reason: 'Needs the token of a connected account; the fuzzer has the token of a client.',
  },
  {
    check: ACCEPTED,
    on: ANYWHERE,
    says: /is not for the token of a client|the caller is not a user|nobody is signed in with this browser/,
    reason: 'Needs the token or the browser of a user; the fuzzer has the token of a client.',
  },
  {
    check: ACCEPTED,
    on: /\/scim\/v2\//,
    says: /send a secret of directory/,
    reason:
      'Needs the secret of a directory; the fuzzer has the token of a client. scim2-tester calls them with a secret.',
  },
  {
    check: ACCEPTED,
    on: /idp\/actions$/,
    says: /no directory is of an identity provider/,
    reason: 'The state decides: no organization has such a directory yet.',
  },
  {
    check: ACCEPTED,
    on: /totp\/registration$/,
    says: /user_id or account_name is required/,
    reason: 'A rule between two members, which OpenAPI cannot express.',
  },
  {
    check: ACCEPTED,
    on: /saml\/\{connection_id\}\/sso$/,
    says: /^431\b/,
    reason:
      'Node refuses an address that is longer than its limit for headers, before any operation is looked for.',
  },
  {
    check: 'status_code_conformance',
    on: /saml\/\{connection_id\}\/sso$/,
    says: /^431\b/,
    reason:
      'Node refuses an address that is longer than its limit for headers, before any operation is looked for.',
  },
  {
    check: 'negative_data_rejection',
    on: ANYWHERE,
    says: /is not for the token of a client/,
    reason: 'The token is refused before the parameters are looked at.',
  },
  {
    check: ACCEPTED,
    on: /oauth\/token$/,
    says: /client missing grant type/,
    reason: 'Which grant types a client may use depends on the client.',
  },
  {
    check: ACCEPTED,
    on: /session-policy$/,
    says: /_session_timeout (is required|must be)/,
    reason: 'The bounds of each timeout depend on its unit and on the other timeout.',
  },
  {
    check: ACCEPTED,
    on: /environment\/(redirect-uris|initiate-login-uri)$|resources(\/\{\w+\})?$/,
    says: /must be an https? (or https )?address|must be an absolute address/,
    reason: 'Which texts after `https:` are an address, no pattern can say.',
  },
  {
    check: ACCEPTED,
    on: /connections(\/\{\w+\})?$/,
    says: /connection type is required|provider or provider_key is required|invalid value for (key_id|provider_key)|are not supported yet/,
    reason: 'The required members of a connection depend on its type, and the service has its own messages.',
  },
  {
    check: ACCEPTED,
    on: /clients(\/\{\w+\})?$/,
    says: /value is no range such as/,
    reason: 'A pattern cannot say which texts are ranges of IPv6.',
  },
  {
    check: 'unsupported_method',
    on: /tools\/(scoped|available)$/,
    says: /DELETE/,
    reason: '`DELETE /tools/{id}` takes every text as an id.',
  },
  {
    check: ACCEPTED,
    on: /\/tokens$/,
    says: /is not a time in the future/,
    reason: 'A time in the past; a schema does not know the clock.',
  },
  {
    check: ACCEPTED,
    on: /oauth\/authorize|oidc\/logout|sso\/v1|ui\/identity-provider/,
    says: /\b400 [A-Z{]/,
    reason: 'A page of a running sign-in, with URLs and tokens that the fuzzer cannot have.',
  },
  {
    check: ACCEPTED,
    on: /scenarios\/\{name\}\/file$/,
    says: /no folder for scenarios is known/,
    reason: 'The fuzzer starts Understudy without a folder for scenarios.',
  },
  {
    check: ACCEPTED,
    on: /tokens:fetch$|\/webhooks$|\/dummy$/,
    says: /the service blocks this operation for every caller/,
    reason: 'Comments of the service say so, and the document keeps the operation for its shapes.',
  },
  {
    check: 'content_type_conformance',
    on: /_control\/v1\/(coverage|mail(\/\{id\})?)$/,
    says: /format=html/,
    reason:
      'A browser gets a page for a refusal, too. All operations share the errors of the document, which are JSON.',
  },
  {
    check: 'negative_data_rejection',
    on: /scenarios\/lint$/,
    says: /"complaints":/,
    reason: 'The call answers what is wrong with a text, so it accepts every text.',
  },
  {
    check: ACCEPTED,
    on: /requests\/verify$/,
    says: /is more than at_most|must be a value, or name an operator|unknown operator/,
    reason: 'A rule between two numbers, or an operator that only the program knows.',
  },
  {
    check: ACCEPTED,
    on: /_control\/v1\/state$/,
    says: /fixture: (settings\[0\]: must be object|include: a list of fixture names)/,
    reason: 'The call takes a fixture or rows, and the document says what both have.',
  },
  {
    check: ACCEPTED,
    on: /\/mcp\/v/,
    says: ANYWHERE,
    reason:
      'The library of the protocol checks messages and headers; a message needs a session or a version without.',
  },
];
