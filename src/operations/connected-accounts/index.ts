export { connectedAccounts as connectedAccountService } from './connected-accounts.ts';
