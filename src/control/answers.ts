/** A whole answer that is not JSON. */
export class Text {
  readonly mediaType: string;
  readonly text: string;

  constructor(mediaType: string, text: string) {
    this.mediaType = mediaType;
    this.text = text;
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
