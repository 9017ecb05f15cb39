import { failedPrecondition, notFound, missingFields } from '../../errors.ts';
import type { Rows } from '../../environment/rows/schema.ts';
import type { Env } from '../../environment/env.ts';
import type { Operations } from '../handler.ts';

type LoginRequest = Rows['login_requests'];

export const loginRequests = {
  AuthService_UpdateLoginUserDetails({ path, body }, env) {
    const { login_failed: failed = false, ...user } = body;
    if (!failed) requireUser(user);
    const connection = env.connections.get(path.connection_id);
    const request = env.login_requests.find(path.login_request_id);
    if (request?.connection_id !== connection.id) throw notFound('login request', path.login_request_id);
    refuseUnlessPending(request);

    const status = failed ? 'FAILED' : 'COMPLETED';
    const { auth_request_id } = env.login_requests.update(request.id, { status, user });
    noteInAuthLog(env, auth_request_id, { email: user.email, failed });
    return { auth_request_id };
  },
} satisfies Partial<Operations>;

/** Unverified: a login request is answered once and before it expires; the docs do not give the error. */
function refuseUnlessPending({ id, status }: LoginRequest): void {
  if (status === 'PENDING') return;
  const why = status === 'EXPIRED' ? 'has expired' : 'was answered already';
  throw failedPrecondition(`login request ${id} ${why}`);
}

/** A successful login has both fields (Scalekit docs, Custom auth). */
function requireUser(user: { sub?: string; email?: string }): void {
  const missing = (['sub', 'email'] as const).filter((member) => !user[member]);
  if (missing.length === 0) return;
  throw missingFields(...missing.map((member) => `user.${member}`));
}

/** Notes the user in the auth log. The login itself continues in the browser unless it failed. */
function noteInAuthLog(
  env: Env,
  id: string,
  { email, failed }: { email?: string | undefined; failed: boolean },
) {
  env.auth_logs.update(id, {
    status: failed ? 'FAILED' : 'PENDING',
    ...(email && { email }),
  });
}
