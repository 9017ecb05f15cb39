import express, { Router, type RequestHandler } from 'express';
import { join } from 'node:path';
import { PACKAGE_ROOT } from '../files.ts';
import { mailStyles } from '../pages/mail.ts';
import { digest } from '../pages/page.ts';

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

const ownFilesOnly = (images: string, styles = '') => ({
  'content-security-policy':
    `default-src 'none'; script-src 'self'; style-src 'self'${styles}; img-src ${images}; font-src 'self'; ` +
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-cache',
});

const DOCS_HEADERS = ownFilesOnly("'self'");
/** The viewer's few inline styles: those of its editor for bodies, and of its menu on a narrow screen. */
const VIEWER_STYLES = [
  'sha256-40iiqMCd92gEkTDo77tABEiJ83Vil54BR3JPvnldhrA=',
  'sha256-FlNeD91WGNORhRA8hqpFtvZEdKNlCMN/awERzg/KeIE=',
  'sha256-oNWb/c4DoXSV0ZFQgQRXUn+Uq7iAVMNdAThqlo1/93E=',
];
const REFERENCE_HEADERS = ownFilesOnly(
  "'self' data:",
  ` 'unsafe-hashes' ${VIEWER_STYLES.map((each) => `'${each}'`).join(' ')}`,
);

/** The policy applies to the frame of a mail, too: its inline styles are allowed by their hashes. */
const stylesOfMails = () => ["'unsafe-hashes'", ...mailStyles().map((each) => `'${digest(each)}'`)].join(' ');

/** The pages that take what a sign-in brings. The fragment keeps a code out of further calls. */
const SIGN_IN_PAGES = new Map([
  ['callback', 'signed-in'],
  ['initiate', 'initiated'],
]);

/** Serves the dashboard at `/_control/` from the build's files. They contain no secrets, so they need no token. */
export function dashboard(): Router {
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
  router.get('/_control/reference', (_, response) =>
    response.set(REFERENCE_HEADERS).sendFile(join(FOLDER, 'reference.html')),
  );
  router.use('/_control/docs', docs());
  return router;
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

/** 32 by 32 pixels. */
const ICON = Buffer.from(
  'AAABAAEAICAAAAEAIACnAAAAFgAAAIlQTkcNChoKAAAADUlIRFIAAAAgAAAAIAIDAAAADhSSZwAAAAlQTFRFAAAAL1XU////' +
    'LOIWRAAAAAF0Uk5TAEDm2GYAAABMSURBVHjaY2AIBQMGBkYIw4GBFcIIYBCFMEKgSoCKsDGypoatpDsjamnUUghj1SoII2zV' +
    'qqkQh61aBXUhSEkoPsfDPQj3MjwQYMECAMQHXeQK1ZIIAAAAAElFTkSuQmCC',
  'base64',
);

/** Browsers fetch the icon with every page. It is not a call of the service, so journal and coverage do not list it. */
export const sendIcon: RequestHandler = ({ method }, response) => {
  response.writeHead(200, {
    'content-type': 'image/x-icon',
    'content-length': ICON.length,
    'cache-control': 'max-age=86400',
  });
  response.end(method === 'HEAD' ? undefined : ICON);
};
