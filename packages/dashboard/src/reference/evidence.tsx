import { pageOf, sentenceOf, type Evidence } from '@understudy/client/evidence';
import { serviceUrl } from '../browser.ts';
import { Badge } from '../parts/parts.tsx';

/** What the behaviour of the operation rests on. */
export const EvidenceText = ({ evidence }: { evidence: Evidence }) => (
  <>
    <p>
      <Badge kind={evidence.state === 'not driven' ? 'note' : 'good'}>{evidence.state}</Badge>{' '}
      {evidence.basis}
    </p>
    <ul>
      {evidence.unknown.map((rule) => (
        <li key={rule.id}>
          {sentenceOf(rule)} <a href={serviceUrl() + pageOf(rule)}>{rule.id}</a>
        </li>
      ))}
    </ul>
    <p>
      <a href="docs/fidelity.html">What these words mean</a>
    </p>
  </>
);
