// Which fields of the contract are secret: `x-secret: true` marks them, and the journal hides what is marked.

const SCHEMAS = '#/components/schemas/';
const VARIABLE_AT_END = /\{[^}]+\}$/;

/** Words in a name that make a reader expect a secret. */
const SOUNDS_SECRET =
  /^code$|(^|_)(secrets?|passwords?|passphrase|tokens?|assertion|verifier|otp|cookies?|credentials?|api_?keys?|private_?keys?)(_|$)/;

/** What the journal needs to know of the marks in these documents: names of fields, and paths that end in a secret. */
export function secretFields(documents) {
  // The whole `cookie` header is secret anyway.
  const fields = documents.flatMap(fieldsOf).filter(({ place }) => place !== 'cookie');
  const marked = fields.filter(({ mark }) => mark === true);
  const secret = namesOf(marked.filter(({ schema }) => schema.type !== 'object'));
  const harmless = namesOf(fields.filter(({ mark }) => mark === false));
  return {
    secret,
    free: namesOf(marked).filter((name) => !secret.includes(name)),
    harmless: harmless.filter((name) => !secret.includes(name)),
    paths: [...new Set(documents.flatMap(secretPaths))],
  };
}

/** One complaint for each field whose name sounds like a secret and whose schema does not say whether it is one. */
export function unmarkedFields(document) {
  const complaints = fieldsOf(document)
    .filter(({ name, mark }) => mark === undefined && SOUNDS_SECRET.test(snakeCase(name)))
    .filter(({ schema }) => holdsText(document, schema))
    .map(
      ({ name, where }) =>
        `${where}: the name ${name} sounds like a secret; add \`x-secret: true\`, or \`x-secret: false\` if it is none`,
    );
  return [...new Set(complaints)];
}

/** Whether a value of the schema can have a secret at any depth. */
export function holdsSecret(document, schema, seen = new Set()) {
  if (typeof schema !== 'object' || schema === null || seen.has(schema)) return false;
  seen.add(schema);
  const own = resolve(document, schema);
  if (own['x-secret'] === true) return true;
  const { properties = {}, items, additionalProperties, allOf = [], anyOf = [], oneOf = [] } = own;
  const parts = [...Object.values(properties), items, additionalProperties, ...allOf, ...anyOf, ...oneOf];
  return parts.some((part) => holdsSecret(document, part, seen));
}

const snakeCase = (name) => name.replace(/(?<=[a-z])[A-Z]/g, (letter) => `_${letter}`).toLowerCase();

/** A mark on the id of a row is about its path alone: every other row has an id, too. */
const namesOf = (fields) => [...new Set(fields.map(({ name }) => name))].filter((name) => name !== 'id');

/** Properties and parameters, wherever they are described. */
function* fieldsIn(value, where) {
  if (typeof value !== 'object' || value === null) return;
  if (typeof value.in === 'string' && value.schema) yield fieldOf(value.name, value, value.schema, where);
  for (const [key, member] of Object.entries(value)) {
    if (['example', 'examples', 'x-also'].includes(key)) continue;
    if (key !== 'properties') yield* fieldsIn(member, `${where}/${key}`);
    else
      for (const [name, schema] of Object.entries(member)) {
        yield fieldOf(name, schema, schema, where);
        yield* fieldsIn(schema, `${where}/${name}`);
      }
  }
}

const fieldOf = (name, { 'x-secret': mark, in: place }, schema, where) => ({
  name,
  mark,
  place,
  schema,
  where,
});

function fieldsOf(document) {
  const { components = {}, paths, webhooks = {} } = document;
  const parts = { ...components, paths, webhooks };
  return Object.entries(parts)
    .flatMap(([name, part]) => [...fieldsIn(part, name)])
    .map(({ mark, ...field }) => {
      const schema = resolve(document, field.schema);
      return { ...field, schema, mark: mark ?? schema['x-secret'] };
    });
}

function resolve({ components }, schema) {
  return schema.$ref?.startsWith(SCHEMAS) ? components.schemas[schema.$ref.slice(SCHEMAS.length)] : schema;
}

/** Words of a list, times, numbers and objects are no secrets by their name. */
function holdsText(document, { type, enum: words, const: word, format, items }) {
  if (words || word !== undefined || format === 'date-time') return false;
  if (items) return holdsText(document, resolve(document, items));
  return type === undefined || [type].flat().includes('string');
}

/** What stands before a secret in addresses (`/magicLink/{token}`) and in paths of changed rows (`/magic_links/{id}`). */
function secretPaths({ components: { parameters: shared = {}, schemas = {} } = {}, paths }) {
  const isSecret = ({ $ref, ...own }) => {
    const parameter = $ref ? shared[$ref.slice('#/components/parameters/'.length)] : own;
    return parameter.in === 'path' && parameter['x-secret'] === true;
  };
  const opened = Object.entries(paths)
    .filter(([path, { parameters = [] }]) => VARIABLE_AT_END.test(path) && parameters.some(isSecret))
    .map(([path]) => path.replace(VARIABLE_AT_END, ''));
  const rows = Object.entries(schemas.State?.properties ?? {})
    .filter(([, { items }]) => schemas[items.$ref.slice(SCHEMAS.length)].properties?.id?.['x-secret'])
    .map(([collection]) => `/${collection}/`);
  return [...opened, ...rows];
}
