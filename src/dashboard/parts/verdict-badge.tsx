import { Badge } from './parts.tsx';

/** Whether something holds; undefined: nobody knows. */
export function VerdictBadge({ good }: { good: boolean | undefined }) {
  if (good === undefined) return <Badge kind="note">not checked</Badge>;
  return <Badge kind={good ? 'good' : 'bad'}>{good ? 'valid' : 'not valid'}</Badge>;
}
