import type { operations as ControlOperations } from './control.gen.ts';
import type { components, operations as ServiceOperations, webhooks } from './openapi.gen.ts';

type Further = `${string}${2 | 3 | 4}`;
/** Messages that the service sends. */
type Sent = `webhook.${string}` | `interceptor.${string}`;
type NoMembers = Readonly<Record<string, undefined>>;
type JsonOf<T> = T extends { content: infer C } ? C[keyof C] : undefined;
type Member<T, K extends PropertyKey> = T extends { [P in K]?: infer V } ? NonNullable<V> : NoMembers;
type BodyOf<T> = T extends { requestBody: infer B }
  ? JsonOf<B>
  : T extends { requestBody?: infer B }
    ? JsonOf<NonNullable<B>> | undefined
    : undefined;
type SuccessOf<T> = T extends { 200: infer R }
  ? R
  : T extends { 201: infer R }
    ? R
    : T extends { 202: infer R }
      ? R
      : T extends { 204: infer R }
        ? R
        : T extends { 302: infer R }
          ? R
          : T extends { 303: infer R }
            ? R
            : never;

type Parameters<O> = O extends { parameters: infer P } ? P : never;
type Responses<O> = O extends { responses: infer R } ? R : never;
type InputOf<O> = {
  path: Member<Parameters<O>, 'path'>;
  query: Member<Parameters<O>, 'query'>;
  headers: Member<Parameters<O>, 'header'>;
  cookies: Member<Parameters<O>, 'cookie'>;
  body: BodyOf<O>;
};

/** The names of a document's operations. Further paths of an operation end in a number and share its handler. */
type Names<Ops> = Exclude<keyof Ops & string, Further | Sent>;
type Bindings<Ops, K extends string> = Extract<keyof Ops, K | `${K}${2 | 3 | 4}`>;

/** An operation that declares no success needs no handler. */
export type OperationId = {
  [K in Names<ServiceOperations>]: [SuccessOf<Responses<ServiceOperations[K]>>] extends [never] ? never : K;
}[Names<ServiceOperations>];

/** Grouped as on the wire. For several paths, one of their inputs. */
export type Input<K extends OperationId> = {
  [B in Bindings<ServiceOperations, K>]: InputOf<ServiceOperations[B]>;
}[Bindings<ServiceOperations, K>];

/** The body of the success response; for a page, the markup. The document determines the status. */
export type Output<K extends OperationId> = JsonOf<SuccessOf<Responses<ServiceOperations[K]>>>;

export type ControlId = Names<ControlOperations>;

/** Like `Input`, without the environment. */
export type ControlInput<K extends ControlId> = InputOf<ControlOperations[K]>;

export type ControlOutput<K extends ControlId> = JsonOf<SuccessOf<Responses<ControlOperations[K]>>>;

/** For example `organization.created`. */
export type EventType = Exclude<keyof webhooks, Sent>;

/** The `data` of an event of that type. */
export type EventData<T extends EventType> = BodyOf<webhooks[T]['post']>['data'];

export type EventObject = components['schemas']['EventObject'];

/** Trigger points of interceptors, such as `PRE_SIGNUP`. */
export type Trigger =
  Extract<keyof webhooks, `interceptor.${string}`> extends `interceptor.${infer T}` ? T : never;

type TriggerMessage<T extends Trigger> = webhooks[`interceptor.${T}`]['post'];

/** The body sent to interceptors of that trigger point. */
export type InterceptorCall<T extends Trigger> = BodyOf<TriggerMessage<T>>;

/** What the interceptor may add if it allows. */
export type InterceptorEffects<T extends Trigger> =
  JsonOf<SuccessOf<Responses<TriggerMessage<T>>>> extends { response?: infer R } ? NonNullable<R> : NoMembers;

/** A field that the document does not name. */
export interface UnknownField {
  /** For example `metadata.colour`, `items[0].name` or `query.page_sise`. */
  field: string;
  name: string;
  /** The names that the document has there. */
  known: () => readonly string[];
}
