import { Webhook } from 'standardwebhooks';
import { createCaller } from './calls.mjs';

/** A help desk for companies: what `careless.mjs` does, without its seven mistakes. */
export function createHelpDesk(environment) {
  const call = createCaller(environment);
  const seen = new Set();
  return {
    async openAccount(name, key) {
      const body = { display_name: name, external_id: key };
      const { organization } = await call('POST', '/organizations', {
        body,
        found: () => accountOf(call, key),
      });
      return organization.id;
    },

    async accountNames() {
      const names = [];
      let token = '';
      do {
        const page = await call('GET', `/organizations?page_token=${encodeURIComponent(token)}`);
        names.push(...page.organizations.map(({ display_name }) => display_name));
        token = page.next_page_token;
      } while (token);
      return names;
    },

    async accountName(id) {
      const { organization } = await call('GET', `/organizations/${id}`);
      return organization.display_name;
    },

    async domainsOf(id) {
      const { domains } = await call('GET', `/organizations/${id}/domains?page_size=30`);
      return domains.map(({ domain }) => domain);
    },

    async rename(id, name) {
      await call('PATCH', `/organizations/${id}`, { body: { display_name: name } });
    },

    async sendMail(account, text) {
      const { connected_account } = await call('GET', `/connected_accounts/${account}`);
      if (connected_account.status !== 'ACTIVE') return 'reconnect';
      const body = { tool_name: 'gmail_fetch_mails', connected_account_id: account, params: { query: text } };
      await call('POST', '/execute_tool', { body, retries: 'unless lost' });
      return 'sent';
    },

    async receive(body, headers, secret) {
      const event = new Webhook(secret).verify(body, headers);
      if (event.type !== 'organization.created' || seen.has(headers['webhook-id'])) return;
      seen.add(headers['webhook-id']);
      await greet(call, event.data.id);
    },
  };
}

async function accountOf(call, key) {
  try {
    return await call('GET', `/organizations:external/${key}`);
  } catch (error) {
    if (error.status === 404) return undefined;
    throw error;
  }
}

/** Makes the link with which the customer sets up the account. */
async function greet(call, id) {
  await call('PUT', `/organizations/${id}/portal_links`, { retries: 'unless lost' });
}
