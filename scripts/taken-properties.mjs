// Lets a schema take properties from the schema that describes them, so that each is described once:
//   x-take: { from: 'users.yaml#/schemas/User', names: [email, create_time] }
// This file is a plugin of redocly.yaml. It turns each name into a `$ref` before documents are checked or bundled.

/** The bundler names such a component after the property, or after schema and property where that name is taken. */
const BUNDLED_PROPERTY = /^#\/components\/schemas\/([a-z][^/]*|\w+-properties-\w+)$/;

const take = () => ({
  Schema: {
    enter(schema, { report, location }) {
      const { 'x-take': taken, properties: own = {} } = schema;
      if (!taken) return;
      for (const name of taken.names.filter((each) => each in own))
        report({ message: `x-take names ${name}, which the schema describes itself`, location });
      const { id, ...others } = own;
      const refs = taken.names.map((name) => [name, { $ref: `${taken.from}/properties/${name}` }]);
      schema.properties = { ...(id && { id }), ...Object.fromEntries(refs), ...others };
      delete schema['x-take'];
    },
  },
});

// Redocly calls the default export.
// oxlint-disable-next-line import/no-default-export
export default () => ({ id: 'understudy', preprocessors: { oas3: { take } } });

/** The bundler makes a component of each property that a `$ref` names, and warns if two have one name. */
export const problemsOfSchemas = (problems) =>
  problems.filter(({ message }) => !/ Renamed [a-z]\w* to /.test(message));

/** Puts each property that a `$ref` names in its place. */
export function inlineProperties(document) {
  const { schemas } = document.components;
  const inlined = (value) => {
    if (typeof value !== 'object' || value === null) return value;
    const { $ref, ...own } = value;
    const [, name] = BUNDLED_PROPERTY.exec($ref) ?? [];
    if (name) return inlined(structuredClone({ ...schemas[name], ...own }));
    for (const [key, member] of Object.entries(value)) value[key] = inlined(member);
    return value;
  };
  inlined(document);
  for (const name of Object.keys(schemas))
    if (BUNDLED_PROPERTY.test(`#/components/schemas/${name}`)) delete schemas[name];
}
