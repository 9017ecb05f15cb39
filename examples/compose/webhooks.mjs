// Stands for your receiver of webhooks. Yours checks the signature first, for example with the SDK.
import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';

createServer((request, response) => {
  json(request).then(
    ({ type, data }) => {
      console.log(`${type} ${data?.display_name ?? ''}`);
      response.writeHead(204).end();
    },
    () => response.writeHead(400).end(),
  );
}).listen(3001);
