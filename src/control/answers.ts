/** A whole answer that is not JSON. */
export class Text {
  readonly mediaType: string;
  readonly text: string;
  readonly headers: Readonly<Record<string, string>>;

  constructor(mediaType: string, text: string, headers: Readonly<Record<string, string>> = {}) {
    this.mediaType = mediaType;
    this.text = text;
    this.headers = headers;
  }
}

/** An answer that goes on until its chunks end or the caller leaves. */
export class Stream {
  readonly mediaType: string;
  readonly chunks: AsyncIterable<string>;

  constructor(mediaType: string, chunks: AsyncIterable<string>) {
    this.mediaType = mediaType;
    this.chunks = chunks;
  }
}
