import pg from "pg";
import { expect, test, vi } from "vitest";
import { createDesk } from "../../features/attendant/testing/desk.ts";
import { testApp } from "../app.ts";

// In a file of its own: every session of this process is counted, those of other applications too.

const queues = [
  { name: "Vendas", greeting: "Aqui é Vendas." },
  {
    name: "Suporte",
    greeting: "Diga.",
    options: [
      { title: "Boleto", message: "Qual?", children: [{ title: "Novo" }, { title: "Antigo" }] },
      { title: "Outro" },
    ],
  },
];

/** Everything that goes to the database while something is done, but for transaction control. */
async function statementsDuring(action: () => Promise<unknown>): Promise<string[]> {
  const query = vi.spyOn(pg.Client.prototype, "query");
  await action();
  const texts = query.mock.calls.map(([statement]: unknown[]) => nameOf(statement));
  query.mockRestore();
  return texts.filter((text) => !/^(begin\b|commit$|rollback$)/i.test(text));
}

function nameOf(statement: unknown): string {
  if (typeof statement === "string") return statement;
  if (typeof statement !== "object" || statement === null) return "";
  if ("name" in statement && typeof statement.name === "string") return statement.name;
  return "text" in statement ? String(statement.text) : "";
}

test("a message into a menu takes ten statements, from the network to the answer's place in the queue", async () => {
  const quiet = { firstMs: 0, answerMs: 0, longestMs: 0 };
  // Without "jobs": timers that look every few seconds would be counted with the message.
  const environment = { ROLES: "http,channels" };
  const app = await testApp({ environment, attends: false, attendantSettings: { quiet } });
  const desk = await createDesk(app, { greeting: "Bem-vindo!", maxMenus: 0, queues });
  await desk.online();
  const counted =
    /^(journal-insert|inbound-claim|messages\.|attendant\.|tickets\.|outbound-enqueue)/;
  const cost = async (text: string, phone: string): Promise<string[]> => {
    const coming = await statementsDuring(async () => {
      await desk.write(phone, text);
      await app.idle();
    });
    // One look finds it, the next one that nothing is left: a busy pump does not look twice for one.
    const turn = await statementsDuring(async () => expect(await app.app.runDueTurns()).toBe(1));
    await app.idle();
    return [...coming, ...turn.slice(0, turn.lastIndexOf("attendant.due"))].filter((name) =>
      counted.test(name),
    );
  };
  const phone = desk.newPhone();
  await cost("Oi", phone);
  const toMenu = await cost("#", phone);
  const toQueue = await cost("2", phone);
  const toOption = await cost("1", phone);
  const back = await cost("0", phone);
  const other = desk.newPhone();
  await cost("Oi", other);
  for (const names of [toMenu, toQueue, toOption, back, await cost("2", other)]) {
    expect(names.filter((name) => name.startsWith("messages.store")).length).toBe(1);
    expect(names).toEqual(
      expect.arrayContaining(["journal-insert", "attendant.due", "attendant.save"]),
    );
    expect(names.length, names.join(", ")).toBeLessThanOrEqual(10);
  }
});
