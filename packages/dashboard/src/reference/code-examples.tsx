import { serviceUrl } from '../browser.ts';
import { Copy, Json } from '../parts/parts.tsx';
import { environmentName } from '../route.ts';
import type { ReferenceOperation } from '../server/reference/shapes.ts';
import { exampleIn, LANGUAGES, type Language } from './examples.ts';
import { sampleOf } from './sample.ts';
import { language, type Filled } from './try-it.tsx';

/** Programs that make the call as the reader has filled it in. */
export function CodeExamples({ operation, given, body }: Filled & { operation: ReferenceOperation }) {
  const chosen = language.value as Language;
  const { note, text } = exampleIn(chosen, {
    operation,
    given: given.value,
    sample: sampleOf(operation, given.value, body.value),
    origin: serviceUrl(),
    environment: environmentName.value,
  });
  return (
    <section class="card" aria-label="Examples">
      <h2>Examples</h2>
      <div class="actions below" role="group" aria-label="Language">
        {LANGUAGES.map((each) => (
          <button
            key={each}
            type="button"
            aria-pressed={each === chosen}
            onClick={() => (language.value = each)}
          >
            {each}
          </button>
        ))}
      </div>
      {note !== '' && <p class="faint">{note}</p>}
      <Json value={text} label={`Example in ${chosen}`} />
      <p class="below-code">
        <Copy text={text}>Copy the example</Copy>
      </p>
    </section>
  );
}
