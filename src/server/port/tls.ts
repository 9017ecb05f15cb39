import type { Duplex } from 'node:stream';
import { createSecureContext, createServer, type TLSSocket } from 'node:tls';
import type { Certificates } from '../certificates/certificates.ts';
import type { Identity } from '../certificates/issue.ts';
import { sniff, type SocketHandlers } from './sniffer.ts';

/** Hands the content of a TLS connection to a handler: by ALPN if agreed, otherwise by the first bytes. */
export async function createTls(
  certificates: Certificates,
  { http1, http2 }: SocketHandlers,
  silence: number,
) {
  const server = createServer({
    ...pems(await certificates.server()),
    ALPNProtocols: ['h2', 'http/1.1'],
    SNICallback: (name, show) => {
      certificates.serverFor(name).then((identity) => show(null, createSecureContext(pems(identity))), show);
    },
  });
  server.on('secureConnection', (socket: TLSSocket) => {
    if (socket.alpnProtocol === 'h2') void http2(socket);
    else if (socket.alpnProtocol === 'http/1.1') void http1(socket);
    else sniff(socket, { http1, http2 }, silence);
  });
  server.on('tlsClientError', (_, socket) => socket.destroy());
  return { take: (socket: Duplex) => void server.emit('connection', socket) };
}

const pems = ({ certificate, key }: Identity) => ({ cert: certificate, key });
