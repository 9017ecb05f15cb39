import express, { Router, type RequestHandler, type Response } from 'express';
import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Controls } from '@understudy/core/control/handler';
import { PACKAGE_ROOT } from '@understudy/text/files';
import { mailStyles } from '@understudy/core/pages/mail';
import { digest } from '@understudy/core/pages/page';
import type { Reference } from './reference/reference.ts';

type Documents = Controls['documents'];

const FOLDER = join(PACKAGE_ROOT, 'dist', 'dashboard');
/** A year in milliseconds. File names contain a hash of the content, so the files never change. */
const A_YEAR = 31_536_000_000;

/** Allows only scripts and styles of this server, calls to this server, and no frames. */
const headers = () => ({
  'content-security-policy':
    `default-src 'none'; script-src 'self'; style-src 'self' ${stylesOfMails()}; img-src 'self' data:; ` +
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-cache',
});

const DOCS_HEADERS = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; " +
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-cache',
};

/** The policy applies to the frame of a mail, too: its inline styles are allowed by their hashes. */
const stylesOfMails = () => ["'unsafe-hashes'", ...mailStyles().map((each) => `'${digest(each)}'`)].join(' ');

/** The pages that take what a sign-in brings. The fragment keeps a code out of further calls. */
const SIGN_IN_PAGES = new Map([
  ['callback', 'signed-in'],
  ['initiate', 'initiated'],
]);

/** Serves the dashboard at `/_control/` from the build's files. They contain no secrets, so they need no token. */
export function dashboard(documents: Documents): Router {
  const router = Router({ strict: true });
  router.get('/_control', (request, response) => response.redirect(308, `${request.baseUrl}/_control/`));
  router.get('/_control/', (_, response) => response.set(headers()).sendFile(join(FOLDER, 'index.html')));
  router.get('/_control/sign-in/:environment/:step', (request, response, next) => {
    const { environment, step } = request.params;
    const page = SIGN_IN_PAGES.get(step);
    if (page === undefined) return next();
    const came = request.originalUrl.split('?')[1] ?? '';
    const shown = [environment, page, came].map(encodeURIComponent).join('/');
    return response.set(headers()).redirect(`${request.baseUrl}/_control/#/${shown}`);
  });
  router.use(
    '/_control/assets',
    express.static(join(FOLDER, 'assets'), { immutable: true, maxAge: A_YEAR, index: false }),
  );
  router.use('/_control/reference', reference(documents));
  router.use('/_control/docs', docs());
  return router;
}

/**
 * The contract in small pieces, read when a page first asks. `/_control/reference` is a former address of the pages: a
 * browser keeps its fragment, which names the operation, so the dashboard finds both.
 */
function reference(documents: Documents): Router {
  const router = Router({ strict: true });
  let made: Promise<Reference> | undefined;
  const load = async () => {
    const module = await import('./reference/reference.ts');
    return new module.Reference(documents.service(), documents.control());
  };
  const answer =
    (find: (pieces: Reference, asked: Record<string, string>) => object | undefined): RequestHandler =>
    async (request, response, next) => {
      const { decided } = request.query;
      const asked = { ...request.params, decided: typeof decided === 'string' ? decided : '' };
      const found = find(await (made ??= load()), asked);
      if (found) sendJson(request, response, found);
      else next();
    };
  router.get('/', (request, response) => {
    const { search } = new URL(request.originalUrl, 'http://localhost');
    response.redirect(`${request.baseUrl.replace(/reference$/, '')}?reference&${search.slice(1)}`);
  });
  router.get(
    '/index.json',
    answer((pieces) => pieces.index()),
  );
  router.get(
    '/operations/:id.json',
    answer((pieces, { id = '', decided = '' }) => pieces.operation(id, decided.split(','))),
  );
  router.get(
    '/schemas/:document/:name.json',
    answer((pieces, { document = '', name = '' }) => pieces.schema(document, name)),
  );
  return router;
}

function sendJson({ headers }: IncomingMessage, response: Response, value: object): void {
  const text = JSON.stringify(value);
  const isSmall = /\bgzip\b/.test(headers['accept-encoding'] ?? '');
  response.set({ 'content-type': 'application/json', 'cache-control': 'no-cache', vary: 'accept-encoding' });
  if (isSmall) response.set('content-encoding', 'gzip').send(gzipSync(text));
  else response.send(text);
}

/** The pages of docs/. The address of one has no ending. */
function docs(): Router {
  const router = Router({ strict: true });
  router.get('/', (request, response, next) =>
    request.originalUrl.endsWith('docs') ? response.redirect(308, `${request.baseUrl}/`) : next(),
  );
  router.use(
    express.static(join(FOLDER, 'docs'), {
      extensions: ['html'],
      redirect: false,
      setHeaders: (response) => {
        for (const [name, value] of Object.entries(DOCS_HEADERS)) response.setHeader(name, value);
      },
    }),
  );
  return router;
}
