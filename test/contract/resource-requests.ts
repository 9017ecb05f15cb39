import { tokensOf } from '../operations/oauth-support.ts';
import type { Booted } from '../support/boot.ts';
import { REPORTING } from '../support/resources.ts';
import { aSignIn, BROWSER } from './sign-in-requests.ts';
import type { Wanted } from './wanted.ts';
import { ADA, TASK_SERVER } from '../support/fixture-ids.ts';

const PKCE = 'code_challenge=0123456789012345678901234567890123456789012&code_challenge_method=S256';
const REDIRECT = 'https://agent.example.com/callback';

const aUserToken = async (booted: Booted) => {
  const { access_token } = await tokensOf(booted);
  return { headers: { authorization: `Bearer ${access_token}` } };
};

/** A sign-in that waits for consent. */
const aConsent = (booted: Booted, form: object) =>
  aSignIn(booted, form, { user_id: ADA, resource_id: TASK_SERVER, client_id: REPORTING.client_id });

/** Requests about protected resources, and of their clients. */
export const RESOURCE_REQUESTS: Readonly<Record<string, Wanted>> = {
  OAuth_Authorize3: {
    query: `client_id=${REPORTING.client_id}&redirect_uri=${REDIRECT}&response_type=code&${PKCE}`,
  },
  OAuth_Authorize4: {
    body: Object.fromEntries(
      new URLSearchParams(
        `client_id=${REPORTING.client_id}&redirect_uri=${REDIRECT}&response_type=code&${PKCE}`,
      ),
    ),
  },
  OAuth_Token2: { body: { grant_type: 'client_credentials', ...REPORTING } },
  LoginPage_ShowConsent: { headers: BROWSER, prepare: (booted) => aConsent(booted, {}) },
  LoginPage_Consent: { headers: BROWSER, prepare: (booted) => aConsent(booted, { decision: 'allow' }) },
  ClientService_ListResources: { query: 'resource_type=MCP_SERVER' },
  ClientService_ListResourceUserConsents: { query: `resource_id=${TASK_SERVER}` },
  ClientService_ListCurrentAgentConsents: { prepare: aUserToken },
  ClientService_RevokeCurrentAgentConsent: { prepare: aUserToken },
  ClientService_GetConsentDetails: { headers: BROWSER, prepare: (booted) => aConsent(booted, {}) },
};
