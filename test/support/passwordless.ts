import type { Booted } from './boot.ts';
import { PASSWORDLESS } from './fixture-ids.ts';

/** The passwordless connection of the default fixture, which is switched off. */

/** Updates the passwordless connection; the mails that follow use this configuration. */
export async function setPasswordless({ api }: Booted, passwordless_config: object): Promise<void> {
  const connection = { type: 'PASSWORDLESS', provider: 'SCALEKIT', passwordless_config };
  await api.patch(`/api/v1/connections/${PASSWORDLESS}`).send(connection).expect(200);
}
