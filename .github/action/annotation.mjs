/** Prints an error that GitHub shows with the job. GitHub reads `%0A` as a line break, so a percent sign is escaped, too. */
export function annotate(text) {
  const escaped = text.trim().replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
  console.log(`::error title=Understudy::${escaped}`);
}
