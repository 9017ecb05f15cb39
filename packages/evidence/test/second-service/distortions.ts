import type { Finding } from '../../src/drift/difference.ts';
import type { Body, Distortion, PassingAnswer, PassingCall } from './second-service.ts';

/** A distortion with what `understudy drift` must find, and nothing else. */
export interface NamedDistortion extends Distortion {
  name: string;
  finds: Pick<Finding, 'subject' | 'kind' | 'severity' | 'at'>;
}

type Change = (answer: PassingAnswer, call: PassingCall) => void;

/** Changes the answer of one call of the story: the `count`th with this line. */
const on = (line: RegExp, change: Change, count?: number): Distortion => ({
  answer: (call, answer) => {
    if (line.test(call.line) && (count === undefined || call.count === count)) change(answer, call);
  },
});

/** A successful answer of these calls. */
const onSuccess = (line: RegExp, change: Change, count?: number) =>
  on(line, (answer, call) => answer.status < 300 && change(answer, call), count);

/** An error of these calls. */
const onError = (line: RegExp, change: Change) =>
  on(line, (answer, call) => answer.status >= 400 && change(answer, call));

const CREATE_ORGANIZATION = /^POST \/api\/v1\/organizations$/;
const GET_ORGANIZATION = /^GET \/api\/v1\/organizations\/[^/]+$/;
const UPDATE_ORGANIZATION = /^PATCH \/api\/v1\/organizations\/[^/]+$/;
const LIST_ORGANIZATIONS = /^GET \/api\/v1\/organizations$/;
const USERS = /^POST \/api\/v1\/organizations\/[^/]+\/users$/;
const ORGANIZATION_USERS = /^GET \/api\/v1\/organizations\/[^/]+\/users$/;
const GET_USER = /^GET \/api\/v1\/users\/[^/]+$/;
const PORTAL_LINK = /portal_links$/;
const DOMAINS = /domains$/;
const GET_ROLE = /^GET \/api\/v1\/roles\/[^/]+$/;
const CREATE_ROLE = /^POST \/api\/v1\/roles$/;
const CLIENTS = /^POST .*\/clients$/;
const TOKEN = /^POST \/oauth\/token$/;
const AUTHORIZE = /^GET \/oauth\/authorize$/;
const rpc = (name: string) => new RegExp(`\\.${name}$`);

/** Finds of answers of the service's own API. */
const of = (subject: string, kind: Finding['kind'], severity: Finding['severity'], at: string) => ({
  subject,
  kind,
  severity,
  at,
});

const rewriteToken = (change: (claims: Record<string, unknown>) => void) => (answer: PassingAnswer) => {
  const [header, claims, signature] = String(answer.json.access_token).split('.');
  const read = JSON.parse(Buffer.from(claims!, 'base64url').toString()) as Record<string, unknown>;
  change(read);
  answer.json.access_token = [
    header,
    Buffer.from(JSON.stringify(read)).toString('base64url'),
    signature,
  ].join('.');
};

/** The token that the client goes on with must work, so only the copy in another field could change; the second token is not used. */
const onUnusedToken = (change: Change) => onSuccess(/^POST \/oauth\/token$/, change, 3);

const later = (text: string, milliseconds: number) => new Date(Date.parse(text) + milliseconds).toISOString();

const inLocation = (change: (address: URL) => void) => (answer: PassingAnswer) => {
  const address = new URL(String(answer.headers['location']));
  if (!address.searchParams.has('error')) return;
  change(address);
  answer.headers['location'] = address.href;
};

const ofType = (type: string, change: (event: Body, count: number) => Body): Distortion => {
  let count = 0;
  return { event: (event: Body) => (event.type === type ? change(event, (count += 1)) : event) };
};

/** Thirty-odd ways in which a service can differ, one of them at a time. */
export const DISTORTIONS: readonly NamedDistortion[] = [
  {
    name: 'another status of success',
    ...onSuccess(CREATE_ROLE, (answer) => (answer.status = 200)),
    finds: of('RolesService_CreateRole', 'status', 'breaking', 'status'),
  },
  {
    name: 'another status of an error',
    ...onError(GET_ROLE, (answer) => (answer.status = 400)),
    finds: of('RolesService_GetRole', 'status', 'breaking', 'status'),
  },
  {
    name: 'an error in place of a success',
    ...on(DOMAINS, (answer) => {
      answer.status = 403;
      answer.json = { code: 7, message: 'no', details: [] };
    }),
    finds: of('DomainService_CreateDomain', 'status', 'breaking', 'status'),
  },
  {
    name: 'another error code',
    ...onError(USERS, (answer) => (answer.json.details[0].error_code = 'USER_EXISTS')),
    finds: of('UserService_CreateUserAndMembership', 'error code', 'breaking', 'body.details[].error_code'),
  },
  {
    name: 'another message of an error',
    ...onError(GET_ROLE, (answer) => (answer.json.message = 'there is no such role')),
    finds: of('RolesService_GetRole', 'message', 'cosmetic', 'body.message'),
  },
  {
    name: 'another error of OAuth',
    ...onError(TOKEN, (answer) => (answer.json.error = 'unauthorized_client')),
    finds: of('OAuth_Token', 'error code', 'breaking', 'body.error'),
  },
  {
    name: 'a violated field with another name',
    ...onError(CREATE_ORGANIZATION, (answer) => {
      const violations = answer.json.details[0].validation_error_info?.field_violations;
      if (violations) violations[0].field = 'organization.name';
    }),
    finds: of(
      'OrganizationService_CreateOrganization',
      'detail',
      'notable',
      'body.details[].validation_error_info.field_violations[].field',
    ),
  },
  {
    name: 'an added field',
    ...on(PORTAL_LINK, (answer) => (answer.json.link.opened_count = 3)),
    finds: of('OrganizationService_GeneratePortalLink', 'field added', 'cosmetic', 'body.link.opened_count'),
  },
  {
    name: 'a known field that Understudy leaves out',
    ...onSuccess(GET_ORGANIZATION, (answer) => (answer.json.organization.slug = 'acme')),
    finds: of('OrganizationService_GetOrganization', 'field added', 'notable', 'body.organization.slug'),
  },
  {
    name: 'a removed field that is required',
    ...on(UPDATE_ORGANIZATION, (answer) => delete answer.json.organization.region_code, 1),
    finds: of(
      'OrganizationService_UpdateOrganization',
      'field missing',
      'breaking',
      'body.organization.region_code',
    ),
  },
  {
    name: 'a removed field that is optional',
    ...on(UPDATE_ORGANIZATION, (answer) => delete answer.json.organization.external_id, 2),
    finds: of(
      'OrganizationService_UpdateOrganization',
      'field missing',
      'notable',
      'body.organization.external_id',
    ),
  },
  {
    name: 'a renamed field',
    ...on(GET_USER, ({ json: { user } }) => {
      user.mail = user.email;
      delete user.email;
    }),
    finds: of('UserService_GetUser', 'field renamed', 'breaking', 'body.user.email'),
  },
  {
    name: 'a field of another type',
    ...on(ORGANIZATION_USERS, (answer) => (answer.json.total_size = String(answer.json.total_size))),
    finds: of('UserService_ListOrganizationUsers', 'type', 'breaking', 'body.total_size'),
  },
  {
    name: 'a list in place of a text',
    ...on(CLIENTS, (answer) => (answer.json.client.name = [answer.json.client.name])),
    finds: of('ClientService_CreateOrganizationClient', 'type', 'breaking', 'body.client.name'),
  },
  {
    name: 'an enum value that the contract lacks',
    ...on(DOMAINS, (answer) => (answer.json.domain.domain_type = 'COMPANY_DOMAIN')),
    finds: of('DomainService_CreateDomain', 'enum value', 'breaking', 'body.domain.domain_type'),
  },
  {
    name: 'another value of an enum',
    ...on(DOMAINS, (answer) => (answer.json.domain.verification_status = 'FAILED')),
    finds: of('DomainService_CreateDomain', 'value', 'notable', 'body.domain.verification_status'),
  },
  {
    name: 'another default',
    ...onSuccess(CREATE_ROLE, (answer) => (answer.json.role.default_member = true)),
    finds: of('RolesService_CreateRole', 'value', 'notable', 'body.role.default_member'),
  },
  {
    name: 'an empty value in place of an absent one',
    ...onSuccess(GET_ORGANIZATION, (answer) => (answer.json.organization.slug = '')),
    finds: of('OrganizationService_GetOrganization', 'empty value', 'notable', 'body.organization.slug'),
  },
  {
    name: 'an absent value in place of an empty one',
    ...onSuccess(CREATE_ROLE, (answer) => delete answer.json.role.description),
    finds: of('RolesService_CreateRole', 'empty value', 'notable', 'body.role.description'),
  },
  {
    name: 'another order of a list that has one',
    ...on(LIST_ORGANIZATIONS, ({ json }) => (json.organizations = json.organizations.toReversed()), 3),
    finds: of('OrganizationService_ListOrganization', 'order', 'notable', 'body.organizations'),
  },
  {
    name: 'another total',
    ...on(/^GET \/api\/v1\/users$/, (answer) => (answer.json.total_size = 1)),
    finds: of('UserService_ListUsers', 'paging', 'notable', 'body.total_size'),
  },
  {
    name: 'a further page that is not there',
    ...on(ORGANIZATION_USERS, (answer) => (answer.json.next_page_token = 'bm90aGluZw')),
    finds: of('UserService_ListOrganizationUsers', 'paging', 'notable', 'body.next_page_token'),
  },
  {
    name: 'another size of pages',
    ...on(LIST_ORGANIZATIONS, ({ json }, { query }) => {
      if (query.get('page_size') === '2' && !query.has('page_token')) json.organizations.pop();
    }),
    finds: of('OrganizationService_ListOrganization', 'paging', 'notable', 'body.organizations'),
  },
  {
    name: 'a row that is not in the list',
    ...on(ORGANIZATION_USERS, ({ json }) => json.users.pop()),
    finds: of('UserService_ListOrganizationUsers', 'rows', 'breaking', 'body.users'),
  },
  {
    name: 'another header',
    ...on(AUTHORIZE, ({ headers }) => (headers['cache-control'] = 'max-age=60'), 1),
    finds: of('OAuth_Authorize', 'header', 'cosmetic', 'headers.cache-control'),
  },
  {
    name: 'another media type',
    ...onSuccess(GET_ORGANIZATION, ({ headers }) => (headers['content-type'] = 'application/vnd.api+json')),
    finds: of('OrganizationService_GetOrganization', 'header', 'notable', 'headers.content-type'),
  },
  {
    name: 'a time to wait',
    ...onError(GET_ROLE, ({ headers }) => (headers['retry-after'] = '30')),
    finds: of('RolesService_GetRole', 'header', 'notable', 'headers.retry-after'),
  },
  {
    name: 'a later expiry',
    ...on(PORTAL_LINK, ({ json: { link } }) => (link.expire_time = later(link.expire_time, 3_600_000))),
    finds: of('OrganizationService_GeneratePortalLink', 'timing', 'notable', 'body.link.expire_time'),
  },
  {
    name: 'another lifetime of tokens',
    ...onUnusedToken((answer) => (answer.json.expires_in = 3600)),
    finds: of('OAuth_Token', 'timing', 'notable', 'body.expires_in'),
  },
  {
    name: 'another claim of a token',
    ...onUnusedToken(rewriteToken((claims) => (claims['aud'] = ['https://api.example']))),
    finds: of('OAuth_Token', 'claim', 'notable', 'body.access_token (token).claims.aud[]'),
  },
  {
    name: 'a token without a claim',
    ...onUnusedToken(rewriteToken((claims) => delete claims['client_id'])),
    finds: of('OAuth_Token', 'claim', 'notable', 'body.access_token (token).claims.client_id'),
  },
  {
    name: 'a token that expires earlier',
    ...onUnusedToken(rewriteToken((claims) => (claims['exp'] = Number(claims['exp']) - 3600))),
    finds: of('OAuth_Token', 'timing', 'notable', 'body.access_token (token).claims.exp'),
  },
  {
    name: 'a redirect without a parameter',
    ...on(
      AUTHORIZE,
      inLocation(({ searchParams }) => searchParams.delete('state')),
    ),
    finds: of('OAuth_Authorize', 'redirect', 'breaking', 'headers.location?state'),
  },
  {
    name: 'another error in a redirect',
    ...on(
      AUTHORIZE,
      inLocation(({ searchParams }) => searchParams.set('error', 'interaction_required')),
    ),
    finds: of('OAuth_Authorize', 'redirect', 'notable', 'headers.location?error'),
  },
  {
    name: 'an id with another prefix',
    ...on(PORTAL_LINK, ({ json: { link } }) => (link.id = link.id.replace('lnk_', 'portal_'))),
    finds: of('OrganizationService_GeneratePortalLink', 'form', 'notable', 'body.link.id'),
  },
  {
    name: 'an id that changes',
    ...on(UPDATE_ORGANIZATION, ({ json }) => (json.organization.id = 'org_55555555555555555'), 2),
    finds: of('OrganizationService_UpdateOrganization', 'identity', 'breaking', 'body.organization.id'),
  },
  {
    name: 'an event that is not sent',
    ...ofType('organization.updated', (event, count) => (count === 2 ? undefined : event)),
    finds: of('organization.updated', 'event missing', 'breaking', 'organization.updated'),
  },
  {
    name: 'an event that Understudy does not send',
    ...ofType('role.created', (event) => [
      event,
      { ...event, id: 'evt_66666666666666666', type: 'role.updated' },
    ]),
    finds: of('role.updated', 'event added', 'notable', 'role.updated'),
  },
  {
    name: 'another field of an event',
    ...ofType('organization.domain_created', (event) => ({
      ...event,
      data: { ...event.data, domain: 'other.example' },
    })),
    finds: of('organization.domain_created', 'value', 'notable', 'event.data.domain'),
  },
  {
    name: 'another status of gRPC',
    ...on(rpc('OrganizationService/GetOrganization'), ({ trailers }) => {
      if (trailers!['grpc-status'] === '5') trailers!['grpc-status'] = '7';
    }),
    finds: of('OrganizationService_GetOrganization', 'status', 'breaking', 'grpc-status'),
  },
  {
    name: 'another detail of gRPC',
    ...on(rpc('OrganizationService/CreateOrganization'), ({ trailers }) => {
      const bytes = Buffer.from(trailers!['grpc-status-details-bin']!, 'base64').toString('latin1');
      // As long as the old code, so that no length changes.
      trailers!['grpc-status-details-bin'] = Buffer.from(
        bytes.replace('INVALID_ARGUMENT', 'ALREADY_EXISTED!'),
        'latin1',
      ).toString('base64');
    }),
    finds: of(
      'OrganizationService_CreateOrganization',
      'error code',
      'breaking',
      'body.details[].error_code',
    ),
  },
  {
    name: 'a trailer',
    ...on(rpc('OrganizationService/ListOrganization'), ({ trailers }) => (trailers!['x-cost'] = '7'), 1),
    finds: of('OrganizationService_ListOrganization', 'trailer', 'cosmetic', 'trailers.x-cost'),
  },
  {
    name: 'another value in a message of gRPC',
    ...on(rpc('OrganizationService/GetOrganization'), ({ message }) => {
      if (message?.organization) message.organization.display_name = 'Another';
    }),
    finds: of('OrganizationService_GetOrganization', 'value', 'notable', 'message.organization.display_name'),
  },
];
