/** A valid call of each tool, in an order in which each finds what it needs. */
export interface ToolStep {
  tool: string;
  args: Record<string, unknown>;
  /** What the text of the answer says. */
  says: RegExp;
}

export const NEW_ROW = 'org_90000000000000001';
const SCENARIO = `name: walk
rules:
  - on: OrganizationService_CreateOrganization
    reply: { error: rate_limited }
`;

export const STEPS: readonly ToolStep[] = [
  { tool: 'get_status', args: {}, says: /client_id skc_.*No scenario is loaded/s },
  { tool: 'list_environments', args: {}, says: /^default: url http/ },
  { tool: 'create_environment', args: { name: 'walk-1', fixture: 'empty', seed: 4 }, says: /^walk-1: url/ },
  { tool: 'create_environment', args: { name: 'walk-2', copy_of: 'walk-1' }, says: /^walk-2: url/ },
  { tool: 'drop_environment', args: { name: 'walk-2' }, says: /walk-2 is dropped/ },
  { tool: 'drop_environment', args: { name: 'walk-1' }, says: /walk-1 is dropped/ },
  { tool: 'take_snapshot', args: { name: 'before' }, says: /before is taken/ },
  { tool: 'check_scenario', args: { yaml: SCENARIO }, says: /is valid/ },
  { tool: 'list_scenarios', args: { search: 'invit' }, says: /invite-expired: .*/ },
  {
    tool: 'list_scenarios',
    args: { name: 'rate-limit-once' },
    says: /retry_after=2.*\nname: rate-limit-once/s,
  },
  { tool: 'load_scenario', args: { name: 'rate-limit-once', params: { times: 2 } }, says: /remaining 2/ },
  { tool: 'unload_scenario', args: {}, says: /Unloaded: rate-limit-once/ },
  { tool: 'load_scenario', args: { yaml: SCENARIO }, says: /unload_scenario with name walk/ },
  {
    tool: 'describe_operation',
    args: { search: 'create organization' },
    says: /^OrganizationService_CreateO/,
  },
  { tool: 'describe_operation', args: { operation: 'OrganizationService_GetOrganization' }, says: /"id"/ },
  {
    tool: 'call_operation',
    args: { operation: 'OrganizationService_CreateOrganization', body: { display_name: 'Walk' } },
    says: /→ 429 \(req_\d+\)/,
  },
  { tool: 'list_calls', args: { status: '4xx', wait: '1s' }, says: /429: rate limited \[scenario walk\]/ },
  { tool: 'explain_call', args: {}, says: /Rule 0 of scenario walk was applied/ },
  { tool: 'list_remedies', args: {}, says: /1\. Unload the scenario walk\. DELETE / },
  { tool: 'apply_remedy', args: { id: 'req_3', number: 2 }, says: /^Send the call again\. → 429 / },
  { tool: 'get_trace', args: {}, says: /^req_\d+ POST \/api\/v1\/organizations .* → 429 \[/ },
  { tool: 'unload_scenario', args: { name: 'walk' }, says: /Unloaded: walk/ },
  {
    tool: 'put_row',
    args: {
      collection: 'organizations',
      id: NEW_ROW,
      row: {
        display_name: 'Put',
        create_time: 'now-1d',
        update_time: 'now',
        region_code: 'US',
        metadata: {},
      },
    },
    says: /Stored in organizations/,
  },
  {
    tool: 'patch_row',
    args: { collection: 'organizations', id: NEW_ROW, changes: { display_name: 'Patched' }, events: true },
    says: /"Patched"/,
  },
  { tool: 'list_rows', args: {}, says: /^organizations: \d+$/m },
  {
    tool: 'list_rows',
    args: { collection: 'organizations', where: { display_name: 'Patched' } },
    says: /^1 of 1 rows/,
  },
  { tool: 'list_rows', args: { collection: 'organizations', id: NEW_ROW }, says: /"Patched"/ },
  {
    tool: 'call_operation',
    // Some clients send objects as texts.
    args: { operation: 'OrganizationService_GetOrganization', parameters: `{"id":"${NEW_ROW}"}` },
    says: /→ 200/,
  },
  { tool: 'delete_row', args: { collection: 'organizations', id: NEW_ROW }, says: /Deleted org_9/ },
  { tool: 'make_token', args: {}, says: /^ey/ },
  {
    tool: 'rotate_keys',
    args: { overlap: '1h' },
    says: /^snk_\d+ signs new tokens\. Also in \/keys: snk_10000000000000001 until /,
  },
  {
    tool: 'trigger_event',
    args: { type: 'organization.created', data: { display_name: 'Acme' } },
    says: /Acme/,
  },
  { tool: 'list_deliveries', args: { type: 'organization.*', limit: 5 }, says: /No delivery matches/ },
  { tool: 'list_mails', args: { to: '*@nowhere.example' }, says: /^0 of 0 mails/ },
  { tool: 'set_clock', args: { mode: 'frozen', at: '2030-01-01T00:00:00Z' }, says: /2030-01-01.*frozen/ },
  { tool: 'advance_clock', args: { by: '25h' }, says: /2030-01-02T01:00/ },
  { tool: 'get_coverage', args: {}, says: /OrganizationService_GetOrganization: 1 calls, 200/ },
  { tool: 'read_docs', args: {}, says: /^scenarios: /m },
  { tool: 'read_docs', args: { page: 'time' }, says: /^# / },
  { tool: 'read_docs', args: { search: 'retry_after' }, says: /scenarios?[\w-]*: / },
  { tool: 'restore_snapshot', args: { name: 'before' }, says: /before is restored/ },
  { tool: 'reset_environment', args: { only: ['mail', 'requests'] }, says: /: mail, requests/ },
];

/** Broken input of each tool, and the message that names the argument. */
export const REFUSALS: readonly [tool: string, args: Record<string, unknown>, message: RegExp][] = [
  ['get_status', { environmnt: 'default' }, /^environmnt: .* did you mean environment\?/],
  ['get_status', { environment: 'nobody' }, /environment nobody not found/],
  ['get_coverage', { environment: 5 }, /^environment: must be a string, not 5/],
  ['read_docs', { page: 'scenaros' }, /^page: .*did you mean scenarios\?/],
  [
    'call_operation',
    { operation: 'OrganizationService_ListOrganization', headers: { 'x-own': 'a\nb' } },
    /^headers: .*invalid header value/s,
  ],
  [
    'call_operation',
    { operation: 'OrganizationService_ListOrganization', token: 'tokén…' },
    /^token: .*ByteString/,
  ],
  [
    'call_operation',
    { operation: 'OrganizationService_GetOrganization', parameters: { id: '\ud800' } },
    /^parameters.id: has half of a character/,
  ],
  [
    'describe_operation',
    { search: Array.from({ length: 30 }, (_, at) => `a${at}`).join(' ') },
    /^search: must have at most 20 words/,
  ],
  ['read_docs', { search: 'xyzzy-nothing' }, /^search: no page/],
  ['list_calls', { limit: 'x' }, /^limit: must be a whole number, not "x"/],
  ['list_calls', { status: 'abc' }, /^status: value must be a status, such as 404/],
  ['list_calls', { operation: 'UserService_GetUsr' }, /did you mean UserService_GetUser\?/],
  ['list_calls', { wait: '1h' }, /^timeout: 1h is longer than a call may wait/],
  ['list_calls', { wait: '1s', before: 'req_1' }, /^before: cannot be given/],
  ['explain_call', { id: 'req_99999' }, /request req_99999 not found/],
  ['list_remedies', { id: 'req_99999' }, /request req_99999 not found/],
  ['apply_remedy', { id: 'req_99999', number: 1 }, /request req_99999 not found/],
  ['get_trace', { id: 'org_404' }, /call or row org_404 not found/],
  ['list_scenarios', { name: 'rate-limit-onc' }, /did you mean rate-limit-once\?/],
  ['load_scenario', {}, /^give either name/],
  ['load_scenario', { name: 'rate-limit-once', params: { retry: 5 } }, /retry_after/],
  ['load_scenario', { yaml: 'name: x', params: {} }, /^params: /],
  [
    'load_scenario',
    { yaml: 'name: x\nrules:\n  - on: UserService_GetUsr\n    reply: { status: 500 }' },
    /3:\d+/,
  ],
  ['unload_scenario', { name: 'nobody' }, /scenario nobody is not loaded/],
  ['check_scenario', {}, /^yaml: missing/],
  ['save_scenario', { name: 'own', yaml: 'name: own' }, /--scenarios/],
  ['advance_clock', { by: '25' }, /^by: value must be a duration/],
  ['advance_clock', {}, /^by: missing/],
  ['set_clock', { mode: 'froze' }, /^mode: unknown value froze; did you mean frozen\?/],
  ['set_clock', { mode: 'frozen', at: 'noon' }, /^at: value must be a time/],
  ['rotate_keys', { overlap: 'soon' }, /^overlap: value must be a duration/],
  ['describe_operation', { operation: 'UserService_GetUsr' }, /did you mean UserService_GetUser\?/],
  ['describe_operation', { search: 'xyzzy' }, /^search: no operation/],
  ['call_operation', { operation: 'OrganizationService_GetOrganization' }, /^parameters\.id: missing/],
  [
    'call_operation',
    { operation: 'OrganizationService_ListOrganization', parameters: { pagesize: 5 } },
    /^parameters\.pagesize: .* did you mean page_size\?/,
  ],
  [
    'call_operation',
    { operation: 'OrganizationService_CreateOrganization', body: 'Acme' },
    /^body: must be an object or a list, not "Acme"/,
  ],
  ['make_token', { client_id: 'skc_1', client_secret: 'x' }, /no token for client skc_1/],
  ['list_rows', { collection: 'organisations' }, /did you mean organizations\?/],
  ['list_rows', { id: 'org_1' }, /^collection: missing/],
  ['put_row', { collection: 'organizations', id: NEW_ROW, row: { display_name: 5 } }, /display_name/],
  ['patch_row', { collection: 'organizations', id: 'org_1', changes: {} }, /organization org_1 not found/],
  ['patch_row', { collection: 'organizations', id: 'org_1', changes: [] }, /^changes: must be an object/],
  ['delete_row', { collection: 'organizations' }, /^id: missing/],
  ['list_mails', { kind: 'invite' }, /^kind: .*invitation/],
  ['list_mails', { to: 'nobody@x.example', wait: '1ms' }, /no matching mail came within 1ms/],
  ['list_deliveries', { status: 'DONE' }, /^status: /],
  ['trigger_event', { type: 'organization.create' }, /did you mean organization\.created\?/],
  ['list_environments', { environment: 'default' }, /^environment: list_environments has no such argument/],
  ['create_environment', { name: 'Not A Label' }, /^name: /],
  ['create_environment', { copy_of: 'default', fixture: 'empty' }, /^fixture: a copy/],
  ['drop_environment', { name: 'nobody' }, /environment nobody not found/],
  ['reset_environment', { only: ['mails'] }, /only/],
  ['take_snapshot', { name: '' }, /^name: /],
  ['restore_snapshot', { name: 'befor' }, /befor/],
];
