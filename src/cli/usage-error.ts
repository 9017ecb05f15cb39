/** A command line that cannot be carried out. The message is one line for the user. */
export class UsageError extends Error {}
