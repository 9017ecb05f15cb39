/** What a request has and the document does not name. */
export interface UnknownField {
  /** Its path: `metadata.colour`, `items[0].name`, `query.page_sise`. */
  field: string;
  name: string;
  /** The names that the document has there. */
  known: () => readonly string[];
}
