import type { Rows } from '../../world/schema.ts';
import { attempt, PATIENCE } from '../attempt.ts';
import type { Kind } from '../kind.ts';

/** Of one host, at once. */
const MOST_AT_ONCE = 4;

/** Applications are told of ended sessions once (OpenID Connect Back-Channel Logout 1.0). */
export const backChannel: Kind<Rows['outgoing_calls']> = {
  laneOf: ({ url }) => ({ name: URL.canParse(url) ? new URL(url).host : '', atOnce: MOST_AT_ONCE }),

  isLocal: () => false,

  async attempt({ url, content }, _, { keys, ...means }) {
    const logout_token = await keys.sign(content, 'logout+jwt');
    const headers = {
      'user-agent': means.userAgent,
      'content-type': 'application/x-www-form-urlencoded',
    };
    const body = new URLSearchParams({ logout_token }).toString();
    return attempt({ url, headers, body }, { ...means, patience: PATIENCE });
  },

  after: (call, { verdict }) => ({ ...call, status: verdict === 'delivered' ? 'DELIVERED' : 'FAILED' }),
};
