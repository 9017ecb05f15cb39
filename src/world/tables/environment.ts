import type { Tables } from './table-spec.ts';

export const environmentTables = {
  settings: { noun: 'settings', schema: 'SettingsRow', indexes: {} },
  mails: { noun: 'mail', schema: 'MailRow', history: 'oldest', indexes: { to: (m) => m.to } },
} satisfies Pick<Tables, 'settings' | 'mails'>;
