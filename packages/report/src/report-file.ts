import { COVERAGE_STYLE } from '@understudy/core/coverage/page-style';
import { html, raw, type Html } from '@understudy/core/pages/html';
import { digest } from '@understudy/core/pages/page';

/** A report as one self-contained file without scripts. `style` comes after that of the coverage page. */
export function reportFile(title: string, style: string, content: Html): string {
  const whole = COVERAGE_STYLE + style;
  const policy = `default-src 'none'; style-src '${digest(whole)}'`;
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta http-equiv="Content-Security-Policy" content="${policy}" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>Understudy: ${title}</title>
        ${raw(`<style>${whole}</style>`)}
      </head>
      <body>
        <main>${content}</main>
      </body>
    </html> `.text;
}
