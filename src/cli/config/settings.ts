import type { Option } from 'commander';
import { VariableOption } from '../options.ts';

/** A setting of `serve` that a config file may hold. */
export interface Setting {
  /** The flag in camelCase: `baseUrl` for `--base-url`. */
  key: string;
  kind: 'switch' | 'number' | 'text' | 'list';
  /** What the help calls the value, such as `folder`; undefined for a switch. */
  placeholder: string | undefined;
  option: Option;
  /** Whether a variable says the default of a switch, so that a config file must not change it. */
  keepsDefault: boolean;
}

/** Flags that no config file sets, because they are about a single start. */
const ONLY_FLAGS = ['config', 'json', 'schema', 'stopWithStdin'];

/** The flags of `serve` are the one table of settings. */
export const settingsOf = (options: readonly Option[]): Setting[] =>
  options.map(settingOf).filter(({ key }) => !ONLY_FLAGS.includes(key));

function settingOf(option: Option): Setting {
  const [, placeholder] = /<(.+)>/.exec(option.flags) ?? [];
  const keepsDefault = option instanceof VariableOption && option.keepsDefault;
  return {
    key: option.attributeName(),
    kind: kindOf(option, placeholder),
    placeholder,
    option,
    keepsDefault,
  };
}

function kindOf({ defaultValue }: Option, placeholder: string | undefined): Setting['kind'] {
  if (placeholder === undefined) return 'switch';
  if (Array.isArray(defaultValue)) return 'list';
  return placeholder === 'number' ? 'number' : 'text';
}

const TYPES = {
  switch: { type: 'boolean' },
  number: { type: 'integer', minimum: 0 },
  text: { type: 'string' },
  list: { type: 'array', items: { type: 'string' } },
} as const;

/** The JSON schema of a config file (draft 7, which editors know best). */
export function configSchema(options: readonly Option[]): object {
  const settings = settingsOf(options).toSorted((a, b) => (a.key < b.key ? -1 : 1));
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'Settings of understudy serve',
    type: 'object',
    additionalProperties: false,
    properties: {
      $schema: { description: 'the schema of this file, for editors', type: 'string' },
      ...Object.fromEntries(settings.map((setting) => [setting.key, schemaOf(setting)])),
    },
  };
}

function schemaOf({ kind, option }: Setting): object {
  const { description, argChoices, defaultValue, defaultValueDescription } = option;
  return {
    description: option.negate
      ? 'false shows secrets in the journal'
      : description.replace('; repeatable', ''),
    ...TYPES[kind],
    ...(argChoices && { enum: argChoices }),
    ...(option.negate && { default: true }),
    ...(defaultValue !== undefined &&
      kind !== 'list' && { default: defaultValueDescription ?? (defaultValue as unknown) }),
  };
}
