// Rows of the default fixture that tests name.

export const ACME = 'org_10000000000000001';
export const NORDWIND = 'org_10000000000000002';
export const EMPTY_DESK = 'org_10000000000000003';

export const ADA = 'usr_10000000000000101';
export const RAVI = 'usr_10000000000000102';
export const NINA = 'usr_10000000000000103';
export const TOM = 'usr_10000000000000104';
export const LENA = 'usr_10000000000000105';
export const MARCO = 'usr_10000000000000106';
export const PRIYA = 'usr_10000000000000107';
export const YUKI = 'usr_10000000000000109';
export const ERIK = 'usr_10000000000000110';

export const PASSWORDLESS = 'conn_10000000000000241';
export const OKTA = 'conn_10000000000000251';
export const ENTRA = 'conn_10000000000000252';
/** A connection of an identity provider with a page of its own. */
export const OWN_PAGE = 'conn_10000000000000253';

export const GMAIL = 'ca_10000000000000301';
export const SLACK_OF_ACME = 'ca_10000000000000302';
export const SLACK_OF_NORDWIND = 'ca_10000000000000303';
export const NOTION = 'ca_10000000000000305';
export const FRESHDESK = 'ca_10000000000000308';

export const RESEARCH = 'cfg_10000000000000401';
export const DAILY_BRIEF = 'cfg_10000000000000402';

export const TASK_SERVER = 'res_10000000000000001';
export const OKTA_DIRECTORY = 'dir_10000000000000601';
export const PENDING_DOMAIN = 'dom_10000000000000273';
export const SESSION_OF_ADA = 'ses_10000000000000401';
export const LAPTOP_KEY = 'cred_10000000000000501';
export const DEFAULT_CLIENT = 'skc_1000000000000000001';
