import { Webhook } from 'standardwebhooks';
import { createCaller } from './calls.mjs';

/** A help desk for companies, with seven mistakes. Each is marked, and `careful.mjs` has none of them. */
export function createHelpDesk(environment) {
  const call = createCaller(environment);
  return {
    async openAccount(name, key) {
      // Mistake 1: a call that was carried out is made again, and nothing tells the service that it is the same one.
      const { organization } = await call('POST', '/organizations', {
        body: { display_name: name, metadata: { key } },
      });
      return organization.id;
    },

    async accountNames() {
      // Mistake 2: a list has more than one page.
      const { organizations } = await call('GET', '/organizations');
      return organizations.map(({ display_name }) => display_name);
    },

    async accountName(id) {
      // Mistake 3: 429 is no reason to give up.
      const { organization } = await call('GET', `/organizations/${id}`, { waits: false });
      return organization.display_name;
    },

    async domainsOf(id) {
      // Mistake 4: no time limit.
      const { domains } = await call('GET', `/organizations/${id}/domains?page_size=30`, {
        timeout: Infinity,
      });
      return domains.map(({ domain }) => domain);
    },

    async rename(id, name) {
      // Mistake 5: a token that has expired is kept.
      await call('PATCH', `/organizations/${id}`, { body: { display_name: name }, renews: false });
    },

    async sendMail(account, text) {
      const { connected_account } = await call('GET', `/connected_accounts/${account}`);
      // Mistake 6: a status that nobody knows here is taken for a good one.
      if (
        ['EXPIRED', 'DISCONNECTED', 'PENDING_AUTH', 'PENDING_VERIFICATION'].includes(connected_account.status)
      )
        return 'reconnect';
      const body = { tool_name: 'gmail_fetch_mails', connected_account_id: account, params: { query: text } };
      await call('POST', '/execute_tool', { body, retries: 'unless lost' });
      return 'sent';
    },

    async receive(body, headers, secret) {
      const event = new Webhook(secret).verify(body, headers);
      // Mistake 7: the same webhook may come twice.
      if (event.type === 'organization.created') await greet(call, event.data.id);
    },
  };
}

/** Makes the link with which the customer sets up the account. */
async function greet(call, id) {
  await call('PUT', `/organizations/${id}/portal_links`, { retries: 'unless lost' });
}
