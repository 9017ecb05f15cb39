import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { html, raw } from '../../src/pages/html.ts';

const MARKUP = /[<>"']|&(?!(amp|lt|gt|quot|#39);)/;

describe('the html template tag', () => {
  it('escapes texts in elements and attributes', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom('<', '>', '&', '"', "'", 'a', ';', '#', ' ') }),
        (text) => {
          const { text: written } = html`<p title="${text}">${text}</p>`;
          const [, attribute = '', content = ''] = /^<p title="(.*)">(.*)<\/p>$/s.exec(written) ?? [];

          expect(attribute).not.toMatch(MARKUP);
          expect(content).toBe(attribute);
          expect(unescaped(content)).toBe(text);
        },
      ),
    );
  });

  it('inserts templates, lists and numbers, and leaves out absent values', () => {
    const items = ['a', '<b>'].map((item) => html`<i>${item}</i>`);

    expect(html`${items}${0}${false}${undefined}${null}${raw('<hr>')}`.text).toBe(
      '<i>a</i><i>&lt;b&gt;</i>0<hr>',
    );
  });
});

const unescaped = (text: string) =>
  text
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&');
