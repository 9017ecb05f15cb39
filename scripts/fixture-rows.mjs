// The rows of a fixture, as the table in docs/reference/fixtures.md shows them.
import { readFileSync } from 'node:fs';

/** Collections that the table leaves out. */
const LEFT_OUT = ['settings', 'events', 'tools', 'providers', 'auth_logs'];

/** Members that identify a row; the table shows the first that a row has. */
const TELLING = [
  'display_name',
  'connector',
  'email',
  'name',
  'key_id',
  'domain',
  'identifier',
  'connected_account_identifier',
  'membership_status',
  'description',
  'status',
];

/** Further members that the table shows. */
const MORE = [
  'path',
  'connection_id',
  'provider',
  'type',
  'status',
  'membership_status',
  'client_type',
  'organization_id',
  'user_id',
  'directory_id',
  'connected_account_id',
];

/** One line of Markdown for each row that the fixture itself defines. */
export function fixtureTable(name) {
  const content = JSON.parse(readFileSync(`fixtures/${name}.json`, 'utf8'));
  return Object.entries(content)
    .filter(
      ([collection, rows]) =>
        Array.isArray(rows) && collection !== 'include' && !LEFT_OUT.includes(collection),
    )
    .flatMap(([collection, rows]) =>
      rows.map((row) => `| ${collection} | \`${row.id}\` | ${describeRow(row)} |`),
    );
}

function describeRow(row) {
  const telling = TELLING.find((member) => textOf(row, member) !== '');
  const more = MORE.filter((member) => member !== telling && textOf(row, member) !== '');
  const parts = [telling, ...more].filter((member) => member !== undefined);
  return parts.map((member) => textOf(row, member)).join(', ') || 'nothing but its id and times';
}

const textOf = (row, member) => (typeof row[member] === 'string' ? row[member] : '');
