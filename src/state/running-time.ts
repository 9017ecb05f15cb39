/** In milliseconds. */
const STEP = 100;

/**
 * Calls `act` once this process has run for so many milliseconds. Returns a function that prevents it. A pause in which a
 * busy machine does not let the process run counts as one step. What others sent in the pause is read before `act`.
 */
export function afterRunning(milliseconds: number, act: () => void): () => void {
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
