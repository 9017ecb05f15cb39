// A webhook receiver in its own process, so that a test can kill it and start it again on the same port. It
// prints one line of JSON when it listens, and one for each delivery before it responds.
import { createServer } from 'node:http';
import { parseArgs } from 'node:util';
import { Webhook } from 'standardwebhooks';

const { values } = parseArgs({
  options: {
    port: { type: 'string', default: '0' },
    // With a secret, the receiver checks each signature and prints the delivery.
    secret: { type: 'string' },
    // Milliseconds until the response.
    delay: { type: 'string', default: '0' },
    // The receiver never responds.
    silent: { type: 'boolean', default: false },
  },
});

const say = (line) => process.stdout.write(`${JSON.stringify(line)}\n`);

const server = createServer(async (request, response) => {
  const text = await read(request).catch(() => undefined);
  if (text === undefined) return; // the sender was killed
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
  // Environments have their own clocks: `verify` would compare the timestamp with the machine's clock.
  const isSigned = new Webhook(secret).sign(id, new Date(timestamp * 1000), text) === signature;
  return { path, id, timestamp: Number(timestamp), isSigned, event: JSON.parse(text) };
}
