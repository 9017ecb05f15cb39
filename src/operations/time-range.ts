/** Whether a time lies between two others, both included; an end that is not given is open. */
export function between(start: string | undefined, end: string | undefined): (time: string) => boolean {
  const [from, to] = [Date.parse(start ?? ''), Date.parse(end ?? '')];
  return (time) => !(Date.parse(time) < from) && !(Date.parse(time) > to);
}
