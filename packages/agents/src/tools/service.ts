import { shortened } from '@understudy/text/suggestion';
import { DocPages } from '../resources.ts';
import { statusOf } from '../status.ts';
import { cutText } from '../size.ts';
import { ToolError } from '../service-address.ts';
import { READS, tool } from '../tool.ts';

const MOST_TEXT = 24_000;
const MOST_OPERATIONS = 40;

export const serviceTools = [
  tool<object>({
    name: 'get_status',
    description:
      'Start here: address and credentials for an SDK, clock, loaded scenarios, rows, snapshots, latest calls, environments.',
    hints: READS,
    run: (_, context) => statusOf(context),
  }),

  tool<object>({
    name: 'get_coverage',
    description:
      'Says which operations, statuses, events and scenario rules were used, and which operations never answered an error: what tests still miss.',
    hints: READS,
    async run(_, { environment }) {
      const { summary, operations, rules } = await environment.coverage();
      const used = operations.filter(({ calls }) => calls > 0);
      const called = used.map(({ id, calls, responses }) => ({
        operation: id,
        calls,
        statuses: responses.filter(({ seen }) => seen > 0).map(({ status }) => status),
      }));
      const untested = called.filter(({ statuses }) => statuses.every((status) => status < 400));
      const unused = rules.filter(({ fired }) => fired === 0).length;
      const text = [
        `${summary.calls} calls; operations ${summary.operations.covered} of ${summary.operations.total}, responses ${summary.responses.covered} of ${summary.responses.total}, events ${summary.events.covered} of ${summary.events.total}; ${unused} scenario rules never applied.`,
        ...called.map(
          ({ operation, calls, statuses }) => `${operation}: ${calls} calls, ${statuses.join(', ')}`,
        ),
        ...(untested.length === 0
          ? []
          : [`Never failed: ${untested.map(({ operation }) => operation).join(', ')}`]),
      ];
      const missing = untested.map(({ operation }) => operation);
      return {
        text: cutText(text.join('\n'), MOST_TEXT),
        data: { summary, called: called.slice(0, MOST_OPERATIONS), untested_failures: missing },
      };
    },
  }),

  tool<{ page?: string; search?: string }>({
    name: 'read_docs',
    description:
      'Reads a page of the documentation, such as javascript (tests with vitest, jest, Playwright), sdks (Python, Go, Java) or scenarios. Without arguments: lists the pages.',
    input: {
      page: { type: 'string', minLength: 1 },
      search: { type: 'string', minLength: 2, description: 'Only lines with this text' },
    },
    hints: READS,
    ofEnvironment: false,
    async run({ page, search }) {
      const pages = new DocPages();
      if (search !== undefined) return foundLines(pages, search, page);
      if (page === undefined) {
        const all = pages.list();
        return { text: all.map(({ name, title }) => `${name}: ${title}`).join('\n'), data: { pages: all } };
      }
      const whole = pages.read(page);
      const markdown = cutText(whole, MOST_TEXT);
      return { text: markdown, data: { page, markdown, size: whole.length } };
    },
  }),
];

const MOST_LINES = 60;

function foundLines(pages: DocPages, search: string, page: string | undefined) {
  const wanted = search.toLowerCase();
  const names = page === undefined ? pages.list().map(({ name }) => name) : [page];
  const lines = names.flatMap((name) =>
    pages
      .read(name)
      .split('\n')
      .filter((line) => line.toLowerCase().includes(wanted))
      .map((line) => `${name}: ${line.trim()}`),
  );
  if (lines.length === 0)
    throw new ToolError(`search: no page has the text "${shortened(search)}"; try one word`);
  const text = lines.slice(0, MOST_LINES).join('\n');
  const rest = lines.length - MOST_LINES;
  const more = rest > 0 ? `\n${rest} more lines: search for more words, or read a page.` : '';
  return { text: text + more, data: { markdown: text, size: lines.length } };
}
