import { ApiError } from '../../errors.ts';
import type { World } from '../../world/world.ts';
import { passwordlessConfig } from './passwordless-config.ts';

const MINUTE = 60_000;

/** The times that lie less than that far back. */
export const stillCounting = (world: World, times: readonly string[], window = MINUTE): string[] =>
  times.filter((time) => Date.parse(time) > world.clock.ms - window);

/** One more mail to the address, now; throws `rate_limited` when it had its share of this minute. */
export function noteMailTo(world: World, email: string): string[] {
  const { frequency: most } = passwordlessConfig(world);
  const requests = world.passwordless_requests.list('email', email.toLowerCase());
  const sent = requests.reduce((sum, { sent_at }) => sum + stillCounting(world, sent_at).length, 0);
  if (most > 0 && sent >= most)
    throw new ApiError('rate_limited', `${email} gets no more than ${most} mails a minute`);
  return [world.clock.iso()];
}
