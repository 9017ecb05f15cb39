import { createHash } from 'node:crypto';
import { isScript } from '@understudy/text/addresses';
import { html, raw, type Fragment } from './html.ts';
import { PAGE_STYLE } from './page-style.ts';

export interface PageContent {
  /** The title of the window; the visible heading is part of the body. */
  title: string;
  body: Fragment;
  /** For tables and settings. */
  wide?: boolean;
  /** Sites that may frame the page; undefined: none. */
  framedBy?: readonly (string | undefined)[];
  /** A script of ours; the page must also work without it. */
  script?: string;
  look?: Look | undefined;
}

/** What an environment's settings change about its sign-in pages. Colours have six hexadecimal digits. */
export interface Look {
  logo?: { address: string; name: string } | undefined;
  primary_color?: string | undefined;
  background_color?: string | undefined;
}

export interface RenderedPage {
  headers: Record<string, string>;
  markup: string;
}

/** The page with its headers: nothing but a logo of the settings is loaded, and only our own script runs. */
export function render(sheet: PageContent): RenderedPage {
  const { title, body, wide, script, look = {} } = sheet;
  const style = PAGE_STYLE + styleOf(look);
  const markup = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<style>${raw(style)}</style>
</head>
<body>
<main${raw(wide ? ' class="wide"' : '')}>
${look.logo && html`<img class="logo" src="${look.logo.address}" alt="${look.logo.name}" />`}
${body}
</main>
<footer>Understudy, a simulator for testing. Never enter a real password.</footer>
${
  // The digest in the policy covers exactly this text.
  script !== undefined && raw(`<script>${script}</script>`)
}
</body>
</html>
`;
  return { headers: headersOf({ ...sheet, style }), markup: markup.text };
}

/** Text in light or dark, whichever differs more from the colour. Dark pages keep their own background. */
function styleOf({ primary_color: primary, background_color: background }: Look): string {
  const buttons = `:is(button, .button):not(.quiet, .choice)`;
  return [
    primary &&
      `${buttons}, ${buttons}:hover { background: ${primary}; border-color: ${primary}; color: ${textOn(primary)}; }\n`,
    background && `@media (prefers-color-scheme: light) { body { background: ${background}; } }\n`,
  ]
    .filter(Boolean)
    .join('');
}

/** Relative luminance, as WCAG defines it, decides. */
export function textOn(color: string): string {
  const [red, green, blue] = [1, 3, 5].map((at) => {
    const part = parseInt(color.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  }) as [number, number, number];
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.179 ? '#111' : '#fff';
}

/** What the content security policy depends on. */
interface PagePolicy extends Pick<PageContent, 'framedBy' | 'script' | 'look'> {
  style: string;
}

/**
 * The headers of every page that we serve. The policy has no `form-action`: Chromium applies that directive to every
 * redirect that follows a form, and only the application knows where its callback leads.
 */
export function headersOf({ framedBy, script, style, look }: PagePolicy): Record<string, string> {
  const policy = [
    "default-src 'none'",
    `style-src '${digest(style)}'`,
    `script-src ${script === undefined ? "'none'" : `'${digest(script)}'`}`,
    ['img-src data:', ...sourcesOf([look?.logo?.address])].join(' '),
    "base-uri 'none'",
    `frame-ancestors ${framedBy ? ["'self'", ...THIS_MACHINE, ...sourcesOf(framedBy)].join(' ') : "'none'"}`,
  ];
  return {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': policy.join('; '),
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
  };
}

/** As a content security policy names an inline script or style. */
export const digest = (text: string) => `sha256-${createHash('sha256').update(text).digest('base64')}`;

/** Applications under test listen on local ports. */
const THIS_MACHINE = ['localhost', '*.localhost', '127.0.0.1'].flatMap((host) => [
  `http://${host}:*`,
  `https://${host}:*`,
]);

const sourcesOf = (addresses: readonly (string | undefined)[]) =>
  new Set(addresses.flatMap((address) => sourceOf(address) ?? []));

/** The source of an address in a content security policy: its origin, or its scheme if it has no origin. */
function sourceOf(address: string | undefined): string | undefined {
  if (address === undefined || !URL.canParse(address) || isScript(address)) return undefined;
  const { protocol, origin } = new URL(address);
  return protocol === 'http:' || protocol === 'https:' ? origin : protocol;
}
