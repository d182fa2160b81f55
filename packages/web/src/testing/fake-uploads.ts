import { vi } from "vitest";

/** A multipart request as the server saw it, with the test as its server. */
export type FakeUpload = {
  call: string;
  authorization: string | null;
  /** Names of the form's parts, in order. */
  parts: readonly string[];
  field: (name: string) => string | null;
  file: () => File;
  isAborted: boolean;
  progress: (part: number) => void;
  answer: (status: number, body: unknown) => void;
  breakOff: () => void;
};

/** Fakes `XMLHttpRequest`: `uploads` are in order; each waits for the test's reply. */
export function fakeUploads(): { uploads: FakeUpload[] } {
  const uploads: FakeUpload[] = [];

  class FakeRequest extends EventTarget {
    readonly upload = new EventTarget();
    status = 0;
    responseText = "";
    #call = "";
    #authorization: string | null = null;
    #own: FakeUpload | null = null;

    open(method: string, url: string): void {
      this.#call = `${method} ${url}`;
    }

    setRequestHeader(name: string, value: string): void {
      if (name === "authorization") this.#authorization = value;
    }

    send(form: FormData): void {
      const entries = [...form.entries()];
      this.#own = {
        call: this.#call,
        authorization: this.#authorization,
        parts: entries.map(([name]) => name),
        field: (name) => {
          const value = form.get(name);
          return typeof value === "string" ? value : null;
        },
        file: () => {
          const file = entries.map(([, value]) => value).find((value) => value instanceof File);
          if (!file) throw new Error("no file was sent");
          return file;
        },
        isAborted: false,
        progress: (part) => {
          const event = { lengthComputable: true, loaded: part * 1_000, total: 1_000 };
          this.upload.dispatchEvent(Object.assign(new Event("progress"), event));
        },
        answer: (status, body) => {
          this.status = status;
          this.responseText = JSON.stringify(body);
          this.dispatchEvent(new Event("load"));
        },
        breakOff: () => this.dispatchEvent(new Event("error")),
      };
      uploads.push(this.#own);
    }

    abort(): void {
      if (this.#own) this.#own.isAborted = true;
      this.dispatchEvent(new Event("abort"));
    }
  }

  vi.stubGlobal("XMLHttpRequest", FakeRequest);
  return { uploads };
}
