// Makes the document that is served at /openapi.json. It describes the requests that the program accepts. That is more
// than the schemas allow where the service's JSON mapping (protojson) is lenient, and less where an operation checks a
// rule itself.

/** The texts are those of `readQueryValue`. */
const BOOLEANS = [true, false, '1', 't', 'T', 'TRUE', 'True', '0', 'f', 'F', 'FALSE', 'False'];
const VERBS = ['get', 'put', 'post', 'delete', 'patch'];
const JSON_TYPE = /\bjson$/;
const COMPONENT = '#/components/schemas/';

/** `isOpen`: the program ignores members that the schemas do not name. */
export function served(document, { isOpen }) {
  const copy = structuredClone(document);
  const { parameters = {}, requestBodies } = copy.components;
  const schemas = new RequestSchemas(copy, isOpen);
  for (const item of Object.values(copy.paths)) {
    addOwnRules(item.parameters ?? []);
    for (const operation of VERBS.flatMap((verb) => item[verb] ?? [])) {
      addOwnRules(operation.parameters ?? []);
      const { $ref } = operation.requestBody ?? {};
      if ($ref) operation.requestBody = structuredClone(requestBodies[$ref.split('/').at(-1)]);
      if (operation.requestBody && !operation['x-open']) schemas.write(operation);
    }
  }
  addOwnRules(Object.values(parameters));
  delete copy.components.requestBodies;
  return copy;
}

function addOwnRules(parameters) {
  for (const parameter of parameters) {
    Object.assign(parameter, parameter['x-also']);
    delete parameter['x-also'];
    const { in: place, schema = {} } = parameter;
    const { type, ...others } = schema;
    if (place === 'query' && type === 'boolean') parameter.schema = { ...others, enum: BOOLEANS };
  }
}

/** Adapts the schemas of requests. A schema that responses use too is copied first. */
class RequestSchemas {
  #schemas;
  #isOpen;
  #answered;
  #names = new Map();

  constructor(document, isOpen) {
    this.#schemas = document.components.schemas;
    this.#isOpen = isOpen;
    this.#answered = answeredIn(document);
  }

  /** `null` and a missing body mean the same as `{}`. */
  write({ requestBody, 'x-body-field': field }) {
    for (const [type, media] of Object.entries(requestBody.content)) {
      const isJson = JSON_TYPE.test(type);
      media.schema = this.#of(media.schema, isJson);
      const isNeeded = requestBody.required && (field !== undefined || !this.#takesNothing(media.schema));
      if (!isNeeded) delete requestBody.required;
      if (isJson && !isNeeded) media.schema = orNull(media.schema);
    }
  }

  #of(schema, isJson) {
    if (schema.$ref) return withOwnRules({ ...schema, $ref: this.#component(schema.$ref, isJson) });
    if (schema['x-free-json']) return withOwnRules(schema);
    if (schema.maxProperties === 1 && schema.properties) return this.#of(oneMember(schema), isJson);
    const { items, properties, additionalProperties: others } = schema;
    return withOwnRules({
      ...schema,
      ...(items && { items: this.#of(items, isJson) }),
      ...(properties && { properties: this.#properties(schema, isJson) }),
      ...(isObject(others) && { additionalProperties: this.#optional(others, isJson) }),
      ...(others === false && { additionalProperties: this.#isOpen }),
    });
  }

  #properties({ properties, required = [] }, isJson) {
    const write = ([name, schema]) => [
      name,
      required.includes(name) ? this.#present(this.#of(schema, isJson)) : this.#optional(schema, isJson),
    ];
    return Object.fromEntries(Object.entries(properties).map(write));
  }

  #optional(schema, isJson) {
    return isJson ? orNull(this.#of(schema, isJson)) : this.#of(schema, isJson);
  }

  /** Protobuf cannot tell an empty text or list from a missing one, so required ones must not be empty. */
  #present(schema) {
    const types = [this.#resolved(schema).type].flat();
    return {
      ...schema,
      ...(types.includes('string') && { minLength: Math.max(1, schema.minLength ?? 0) }),
      ...(types.includes('array') && { minItems: Math.max(1, schema.minItems ?? 0) }),
    };
  }

  #component($ref, isJson) {
    const name = $ref.slice(COMPONENT.length);
    const known = this.#names.get(name);
    if (known) return known;
    const own = this.#answered.has(name) ? `${name}Request` : name;
    if (own !== name && this.#schemas[own]) throw new Error(`${own} is taken`);
    this.#names.set(name, COMPONENT + own);
    this.#schemas[own] = this.#of(this.#schemas[name], isJson);
    return COMPONENT + own;
  }

  #takesNothing(schema) {
    const { required, anyOf, oneOf, 'x-free-json': isFree } = { ...this.#resolved(schema), ...schema };
    return !required?.length && !anyOf && !oneOf && !isFree;
  }

  #resolved(schema) {
    return schema.$ref ? this.#resolved(this.#schemas[schema.$ref.slice(COMPONENT.length)]) : schema;
  }
}

/** Removes the rules that the operation checks itself, with messages of the service. `x-own-rules` names the members. */
function withOwnRules({ 'x-also': rules, ...schema }) {
  if (!rules) return schema;
  const { required = [], properties = {}, ...others } = rules;
  const refined = Object.entries(properties).map(([name, more]) => [
    name,
    { ...schema.properties?.[name], ...more },
  ]);
  const names = [...new Set([...required, ...Object.keys(properties)])];
  return {
    ...schema,
    ...others,
    ...(required.length > 0 && { required: [...(schema.required ?? []), ...required] }),
    ...(refined.length > 0 && { properties: { ...schema.properties, ...Object.fromEntries(refined) } }),
    ...(names.length > 0 && { 'x-own-rules': names }),
  };
}

/** The JSON mapping treats `null` as a missing member. */
function orNull(schema) {
  const { type, enum: words } = schema;
  if (type === undefined && !schema.$ref && !words) return schema;
  if (!type || schema.const !== undefined) return { anyOf: [schema, { type: 'null' }] };
  return { ...schema, type: [type, 'null'].flat(), ...(words && { enum: [...words, null] }) };
}

/** At most one member of a oneof may be set. Unknown members do not count. */
function oneMember({ maxProperties: _, ...schema }) {
  const names = Object.keys(schema.properties);
  const only = (chosen) =>
    Object.fromEntries(names.filter((name) => name !== chosen).map((name) => [name, { type: 'null' }]));
  return { ...schema, anyOf: names.map((name) => ({ properties: only(name) })) };
}

/** The names of schemas that are used outside requests. */
function answeredIn({ paths, webhooks = {}, components }) {
  const found = new Set();
  const queue = [webhooks, components.parameters, components.responses];
  for (const item of Object.values(paths))
    for (const { parameters, responses } of VERBS.flatMap((verb) => item[verb] ?? []))
      queue.push(parameters, responses);
  while (queue.length > 0)
    collect(queue.pop(), (name) => {
      if (found.has(name)) return;
      found.add(name);
      queue.push(components.schemas[name]);
    });
  return found;
}

function collect(value, found) {
  if (typeof value !== 'object' || value === null) return;
  if (typeof value.$ref === 'string' && value.$ref.startsWith(COMPONENT))
    found(value.$ref.slice(COMPONENT.length));
  for (const member of Object.values(value)) collect(member, found);
}

const isObject = (value) => typeof value === 'object' && value !== null;
