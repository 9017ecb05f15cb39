/** A report that can't be had, read or merged; the message names it. */
export class ReportError extends Error {}
