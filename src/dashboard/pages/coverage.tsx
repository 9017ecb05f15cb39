import { useData } from '../data.ts';
import { Complaint, Heading } from '../parts/parts.tsx';
import { environment } from '../session.ts';

const TITLES = {
  operations: 'Operations that were called',
  responses: 'Documented answers that were seen',
  failures: 'Kinds of failure that were seen',
  events: 'Types of event that were caused',
  rules: 'Rules that were applied',
};

/** What of the contract the calls of this environment have used. */
export function CoveragePage() {
  const { value, error } = useData(() => environment.value.coverage(), ['request', 'scenario']);
  return (
    <>
      <Heading title="Coverage">
        <a class="button" href={`/_control/v1/environments/${environment.value.name}/coverage?format=html`}>
          Whole report
        </a>
      </Heading>
      <Complaint of={error} />
      {value && (
        <section class="card">
          <p>{value.summary.calls} calls.</p>
          {Object.entries(TITLES).map(([name, title]) => {
            const { covered, total, percent } = value.summary[name as keyof typeof TITLES];
            return (
              <div class="share" key={name}>
                <label for={`share-${name}`}>{title}</label>
                <progress id={`share-${name}`} value={covered} max={Math.max(total, 1)} />
                <span>
                  {covered} of {total} ({percent} %)
                </span>
              </div>
            );
          })}
        </section>
      )}
    </>
  );
}
