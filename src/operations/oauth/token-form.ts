import type { Input } from '../../contract/types.ts';

/** What was sent to the token endpoint. */
export type TokenForm = NonNullable<Input<'OAuth_Token'>['body']>;
