import type { AccountService, Services } from '@understudy/core/operations/index';
import type { Part } from '@understudy/core/parts';

const services: Pick<Services, AccountService> = {
  ConnectedAccountService: async () => (await import('./accounts/connected-accounts.ts')).connectedAccounts,
  ToolService: async () => ({
    ...(await import('./tools/tools.ts')).tools,
    ...(await import('./tools/tool-lists.ts')).toolLists,
    ...(await import('./tools/tool-writing.ts')).toolWriting,
    ...(await import('./tools/tool-search.ts')).toolSearch,
    ...(await import('./tools/tool-refresh.ts')).toolRefresh,
  }),
  ActionsProxy: async () => (await import('./proxy.ts')).actionsProxy,
  McpServer: async () => (await import('./mcp/servers.ts')).servers,
  McpService: async () => ({
    ...(await import('./mcp/configs.ts')).configs,
    ...(await import('./mcp/instances.ts')).instances,
    ...(await import('./mcp/instances.ts')).authState,
    ...(await import('./mcp/mcps.ts')).mcps,
    ...(await import('./mcp/mcps.ts')).sessionTokens,
  }),
  AccountPage: async () => ({
    ...(await import('./pages/decision.ts')).accountDecision,
    ...(await import('./pages/confirmation.ts')).accountConfirmation,
    ...(await import('./pages/authorization.ts')).accountOutcome,
  }),
};

export const part: Part = {
  services,
  links: { _o: async () => (await import('./pages/authorization.ts')).openAccountLink },
  control: {
    Control_AuthorizeAccount: async (input, context) =>
      (await import('./accounts/control.ts')).control.Control_AuthorizeAccount(input, context),
  },
};
