import { createHash } from 'node:crypto';
import { isScript } from '../text/addresses.ts';
import { html, raw, type Fragment } from './html.ts';
import { PAGE_STYLE } from './page-style.ts';

/** One hosted page: what it says, and where its forms may lead to. */
export interface Sheet {
  /** Of the window; the page's own heading is in its body. */
  title: string;
  body: Fragment;
  /** Addresses that a form of it may end at, beyond our own: browsers hold every redirect against the policy. */
  leadsTo?: readonly (string | undefined)[];
  /** A page for tables and settings. */
  wide?: boolean;
  /** Addresses of the sites that may show it in a frame; without the list, none may. */
  framedBy?: readonly (string | undefined)[];
  /** A script of our own, for what the page can also do without. */
  script?: string;
}

export interface RenderedPage {
  headers: Record<string, string>;
  markup: string;
}

/** The page with its headers: nothing is loaded from anywhere, and only what we wrote is run. */
export function render(sheet: Sheet): RenderedPage {
  const { title, body, wide, script } = sheet;
  const markup = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<style>${raw(PAGE_STYLE)}</style>
</head>
<body>
<main${raw(wide ? ' class="wide"' : '')}>
${body}
</main>
<footer>Understudy, a stand-in for testing. Never enter a real password.</footer>
${
  // Letter by letter what its digest was made of.
  script !== undefined && raw(`<script>${script}</script>`)
}
</body>
</html>
`;
  return { headers: headersOf({ ...sheet, style: PAGE_STYLE }), markup: markup.text };
}

/** What a page consists of beside its markup, and where it leads to. */
interface Policy extends Pick<Sheet, 'leadsTo' | 'framedBy' | 'script'> {
  style: string;
}

/** Of every page that we serve. */
export function headersOf({ leadsTo = [], framedBy, script, style }: Policy): Record<string, string> {
  const policy = [
    "default-src 'none'",
    `style-src '${digest(style)}'`,
    `script-src ${script === undefined ? "'none'" : `'${digest(script)}'`}`,
    'img-src data:',
    `form-action ${["'self'", ...sourcesOf(leadsTo)].join(' ')}`,
    "base-uri 'none'",
    `frame-ancestors ${framedBy ? ["'self'", ...THIS_MACHINE, ...sourcesOf(framedBy)].join(' ') : "'none'"}`,
  ];
  return {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': policy.join('; '),
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
  };
}

const digest = (text: string) => `sha256-${createHash('sha256').update(text).digest('base64')}`;

/** Suites serve their application on a port of their own. */
const THIS_MACHINE = ['localhost', '*.localhost', '127.0.0.1'].flatMap((host) => [
  `http://${host}:*`,
  `https://${host}:*`,
]);

const sourcesOf = (addresses: readonly (string | undefined)[]) =>
  new Set(addresses.flatMap((address) => sourceOf(address) ?? []));

/** How a content security policy names the address: by its origin, or by its scheme where it has none. */
function sourceOf(address: string | undefined): string | undefined {
  if (address === undefined || !URL.canParse(address) || isScript(address)) return undefined;
  const { protocol, origin } = new URL(address);
  return protocol === 'http:' || protocol === 'https:' ? origin : protocol;
}
