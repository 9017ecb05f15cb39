/** Writes equal values only once and refers to them by number. */
export class Numbering {
  values = [];
  #numbers = new Map();

  of(value) {
    const text = JSON.stringify(value);
    if (!this.#numbers.has(text)) this.#numbers.set(text, this.values.push(value) - 1);
    return this.#numbers.get(text);
  }
}
