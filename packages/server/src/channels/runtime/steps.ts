/** Runs changes of one thing one after the other, until it ends. A change that fails is reported and the next one goes on. */
export class Steps {
  readonly #onError: (error: unknown) => void;
  #line: Promise<void> = Promise.resolve();
  #waiting = 0;
  #isEnded = false;

  constructor(onError: (error: unknown) => void) {
    this.#onError = onError;
  }

  get isIdle(): boolean {
    return this.#waiting === 0;
  }

  /** Resolves after its turn, whether the work was done, failed, or was skipped because of the end. */
  add(work: () => Promise<void>): Promise<void> {
    this.#waiting += 1;
    this.#line = this.#line.then(async () => {
      try {
        if (!this.#isEnded) await work();
      } catch (error) {
        this.#onError(error);
      } finally {
        this.#waiting -= 1;
      }
    });
    return this.#line;
  }

  /** Nothing is begun any more. */
  end(): void {
    this.#isEnded = true;
  }
}
