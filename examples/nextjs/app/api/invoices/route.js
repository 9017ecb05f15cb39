import { scalekit } from '../../../lib/scalekit';

export async function GET(request) {
  const [, token] = request.headers.get('authorization')?.match(/^Bearer (.+)$/) ?? [];
  const wanted = { audience: [process.env.SCALEKIT_CLIENT_ID] };
  const claims =
    token &&
    (await scalekit()
      .validateToken(token, wanted)
      .catch(() => undefined));
  if (!claims) return new Response('sign in first', { status: 401 });
  if (!claims.permissions?.includes('invoices:read')) return new Response('not allowed', { status: 403 });
  return Response.json(['INV-1', 'INV-2']);
}
