export { actionsProxy } from './actions-proxy.ts';
