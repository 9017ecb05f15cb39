// Whoever listens to webhooks, as a process of its own: it can be killed, and started again on the same port.
// Prints a line of JSON once it listens, and one for each delivery, before it answers that.
import { createServer } from 'node:http';
import { parseArgs } from 'node:util';
import { Webhook } from 'standardwebhooks';

const { values } = parseArgs({
  options: {
    port: { type: 'string', default: '0' },
    // Deliveries are said to be signed with it or not; without it, nothing is said of them.
    secret: { type: 'string' },
    // Milliseconds until the answer.
    delay: { type: 'string', default: '0' },
    // It never answers.
    silent: { type: 'boolean', default: false },
  },
});

const say = (line) => process.stdout.write(`${JSON.stringify(line)}\n`);

const server = createServer(async (request, response) => {
  const text = await read(request).catch(() => undefined);
  if (text === undefined) return; // whoever called was killed
  if (values.secret !== undefined) say(told(request, text, values.secret));
  if (!values.silent) setTimeout(() => response.end(), Number(values.delay));
});
server.listen(Number(values.port), '127.0.0.1', () => {
  say({ url: `http://127.0.0.1:${server.address().port}` });
});

async function read(request) {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

function told({ url: path, headers }, text, secret) {
  const { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signature } = headers;
  // Environments have clocks of their own: `verify` would hold the time against that of the machine.
  const isSigned = new Webhook(secret).sign(id, new Date(timestamp * 1000), text) === signature;
  return { path, id, timestamp: Number(timestamp), isSigned, event: JSON.parse(text) };
}
