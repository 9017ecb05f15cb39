/** A document of another server, or why there is none. */
export type FetchedDocument = { text: string } | { failure: string };

/**
 * A unit of work is synchronous. This error rolls it back; the pipeline fetches the document and runs the unit again
 * with it.
 */
export class DocumentNeeded extends Error {
  readonly url: string;

  constructor(url: string) {
    super(`${url} has not been fetched yet`);
    this.url = url;
  }
}

/** By address. */
export type FetchedDocuments = ReadonlyMap<string, FetchedDocument>;

/** Looks up documents for one unit of work; throws `DocumentNeeded` for those that are missing. */
export function documentLookup(documents: FetchedDocuments | undefined): (url: string) => FetchedDocument {
  return (url) => {
    const document = documents?.get(url);
    if (document) return document;
    throw new DocumentNeeded(url);
  };
}
