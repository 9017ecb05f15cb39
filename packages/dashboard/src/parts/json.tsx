import type { ComponentChildren } from 'preact';
import { RowLink } from './row-link.tsx';

/** JSON in colours: objects and lists fold, and ids are links. What it holds never becomes markup. */
export const Json = ({ value, label }: { value: unknown; label: string }) => (
  <div class="json" tabIndex={0} aria-label={label} role="region">
    {typeof value === 'string' ? value : <Value value={value} depth={0} />}
  </div>
);

/** Deeper ones are folded at first. */
const MOST_OPEN = 4;

interface ValueProps {
  value: unknown;
  depth: number;
  /** What stands before and after the value in its line. */
  before?: ComponentChildren;
  after?: string;
}

function Value({ value, depth, before, after = '' }: ValueProps) {
  if (typeof value !== 'object' || value === null)
    return (
      <div>
        {before}
        <Scalar value={value} />
        {after}
      </div>
    );
  const isList = Array.isArray(value);
  const [open, close] = isList ? ['[', ']'] : ['{', '}'];
  const members = Object.entries(value);
  if (members.length === 0)
    return (
      <div>
        {before}
        {open + close + after}
      </div>
    );
  const inner = members.map(([name, member], index) => (
    <Value
      key={name}
      value={member}
      depth={depth + 1}
      before={isList ? undefined : <Name name={name} />}
      after={index < members.length - 1 ? ',' : ''}
    />
  ));
  if (depth === 0)
    return (
      <div>
        {open}
        <div class="inner">{inner}</div>
        {close}
      </div>
    );
  return (
    <details open={depth < MOST_OPEN}>
      <summary>
        {before}
        {open}
        <span class="folded">
          {members.length} {close + after}
        </span>
      </summary>
      <div class="inner">{inner}</div>
      {close + after}
    </details>
  );
}

const Name = ({ name }: { name: string }) => (
  <>
    <span class="member">{JSON.stringify(name)}</span>:{' '}
  </>
);

function Scalar({ value }: { value: unknown }) {
  if (typeof value !== 'string') return <span class="literal">{JSON.stringify(value)}</span>;
  return (
    <span class="text">
      <RowLink id={value} quoted />
    </span>
  );
}
