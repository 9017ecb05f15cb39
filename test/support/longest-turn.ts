/**
 * The longest turn of the event loop until `work` ends, in milliseconds of processor time. Other processes do not
 * change it, but other threads of this process do, so bounds must be generous.
 */
export async function longestTurn(work: () => PromiseLike<unknown>): Promise<number> {
  let isDone = false;
  const done = Promise.resolve(work()).finally(() => (isDone = true));
  let longest = 0;
  while (!isDone) {
    const before = process.cpuUsage();
    await new Promise((resolve) => setImmediate(resolve));
    const { user, system } = process.cpuUsage(before);
    longest = Math.max(longest, (user + system) / 1000);
  }
  await done;
  return longest;
}
