// The baseline: one Express 5 route that sends the same JSON, started from node_modules.
import express from 'express';

const organization = {
  id: 'org_10000000000000001',
  create_time: '2026-01-07T09:00:00.000Z',
  update_time: '2026-01-20T14:30:00.000Z',
  display_name: 'Acme Corp',
  region_code: 'US',
  external_id: 'crm-acme',
  metadata: { plan: 'enterprise', account_owner: 'Priya Shah' },
  slug: 'acme',
  settings: { features: [{ name: 'sso', enabled: true }] },
};
const app = express();
app.get('/api/v1/organizations/:id', (request, response) => response.json({ organization }));
const server = app.listen(0, '127.0.0.1', () => {
  process.stdout.write(`${JSON.stringify({ url: `http://127.0.0.1:${server.address().port}` })}\n`);
});
