import { createRequire } from "node:module";
import { expect, test, vi } from "vitest";

test("libsignal prints nothing, everybody else does", async () => {
  const said: unknown[][] = [];
  const spies = (["info", "warn", "error"] as const).map((method) =>
    vi.spyOn(console, method).mockImplementation((...words) => void said.push(words)),
  );
  const library = createRequire(import.meta.url).resolve("baileys");
  const load = createRequire(library);
  const Record = load("libsignal/src/session_record.js") as {
    new (): { closeSession(session: unknown): void };
  };
  const session = { indexInfo: { closed: -1, baseKey: Buffer.from("chave") } };

  new Record().closeSession(session);
  expect(JSON.stringify(said)).toContain("Closing session");
  said.length = 0;

  const { quietLibsignal } = await import("./quiet-libsignal.ts");
  quietLibsignal();
  session.indexInfo.closed = -1;
  new Record().closeSession(session);
  expect(said).toEqual([]);

  globalThis.console.warn("outra coisa");
  expect(said).toEqual([["outra coisa"]]);
  for (const spy of spies) spy.mockRestore();
});
