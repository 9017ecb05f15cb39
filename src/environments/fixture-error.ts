/** A fixture that can't be used: one line for a person, naming the file, the path in it and the reason. */
export class FixtureError extends Error {}
