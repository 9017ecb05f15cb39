import { scalekit } from '../../lib/scalekit';

export async function POST(request) {
  const body = await request.text();
  const { SCALEKIT_WEBHOOK_SECRET } = process.env;
  try {
    scalekit().verifyWebhookPayload(SCALEKIT_WEBHOOK_SECRET, Object.fromEntries(request.headers), body);
  } catch {
    return new Response('the signature is wrong', { status: 401 });
  }
  const { type, data } = JSON.parse(body);
  if (type === 'organization.updated') console.log(`${data.id} is now called ${data.display_name}`);
  return new Response(null, { status: 204 });
}
