/** In milliseconds. */
const STEP = 100;

/**
 * Calls `act` after this time, and returns what prevents that. Time in which a busy machine did not let this process run
 * counts as one step, and what others have sent meanwhile is read first.
 */
export function afterPatience(milliseconds: number, act: () => void): () => void {
  let left = milliseconds;
  let isPrevented = false;
  let timer: NodeJS.Timeout;
  const actUnlessPrevented = () => {
    if (!isPrevented) act();
  };
  const wait = () => {
    const step = Math.min(left, STEP);
    left -= step;
    // An immediate runs after the event loop has read.
    timer = setTimeout(() => (left > 0 ? wait() : setImmediate(actUnlessPrevented)), step);
  };
  wait();
  return () => {
    isPrevented = true;
    clearTimeout(timer);
  };
}
