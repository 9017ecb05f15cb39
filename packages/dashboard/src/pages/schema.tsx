import { useData } from '../data.ts';
import { Complaint, Heading, Prose } from '../parts/parts.tsx';
import { readSchema } from '../reference/contract.ts';
import { SchemaTree } from '../reference/schema-tree.tsx';
import { href, route } from '../route.ts';

/** One schema of the contract. */
export function SchemaPage() {
  const { id, item = '' } = route.value;
  const document = id === 'control' ? 'control' : 'service';
  const { value, error } = useData(() => readSchema(document, item), ['none'], document, item);
  const schema = value?.schemas[item];
  return (
    <>
      <p class="back">
        <a href={href('reference')}>API reference</a>
      </p>
      <Heading title={item} />
      <Complaint of={error} />
      {value && schema && (
        <section class="card" aria-label="Fields">
          {schema.description !== undefined && (
            <p>
              <Prose text={schema.description} />
            </p>
          )}
          <SchemaTree schema={schema} schemas={value.schemas} document={document} />
        </section>
      )}
    </>
  );
}
