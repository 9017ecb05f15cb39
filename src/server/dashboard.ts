import express, { Router } from 'express';
import { join } from 'node:path';
import { PACKAGE_ROOT } from '../package-root.ts';

const FOLDER = join(PACKAGE_ROOT, 'dist', 'dashboard');
/** In milliseconds: the name of a file changes with what is in it. */
const A_YEAR = 31_536_000_000;

/** The page runs its own files only, calls its own origin only, and stands in no frame. */
const HEADERS = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-cache',
};

/** The dashboard, at `/_control/`: files that `npm run build` made. They hold no secret, and need no token. */
export function dashboard(): Router {
  const router = Router({ strict: true });
  router.get('/_control', (request, response) => response.redirect(308, `${request.baseUrl}/_control/`));
  router.get('/_control/', (_, response) => response.set(HEADERS).sendFile(join(FOLDER, 'index.html')));
  router.use(
    '/_control/assets',
    express.static(join(FOLDER, 'assets'), { immutable: true, maxAge: A_YEAR, index: false }),
  );
  return router;
}
