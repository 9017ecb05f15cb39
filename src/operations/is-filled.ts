/** Protobuf cannot tell an empty map or list from one that was not given. */
export function isFilled<T extends object>(value: T | undefined): value is T {
  return value !== undefined && Object.keys(value).length > 0;
}
