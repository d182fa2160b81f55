/** Stored texts of keys by type and id, the least used forgotten first; null: known to be absent. */
export class KeyCache {
  readonly #texts = new Map<string, string | null>();
  readonly #limit: number;

  constructor(limit: number) {
    this.#limit = limit;
  }

  get(type: string, id: string): string | null | undefined {
    const place = placeOf(type, id);
    const text = this.#texts.get(place);
    if (text === undefined) return undefined;
    this.#texts.delete(place);
    this.#texts.set(place, text);
    return text;
  }

  set(type: string, id: string, text: string | null): void {
    const place = placeOf(type, id);
    this.#texts.delete(place);
    this.#texts.set(place, text);
    if (this.#texts.size <= this.#limit) return;
    const [oldest] = this.#texts.keys();
    if (oldest !== undefined) this.#texts.delete(oldest);
  }

  forget(type: string, id: string): void {
    this.#texts.delete(placeOf(type, id));
  }
}

function placeOf(type: string, id: string): string {
  return `${type}\n${id}`;
}
