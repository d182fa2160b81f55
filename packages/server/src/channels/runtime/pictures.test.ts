import type { ContactId } from "@balcao/contract";
import { beforeAll, expect, test } from "vitest";
import type { TestDatabase } from "../../testing/database.ts";
import { testDatabase } from "../../testing/database.ts";
import { newConnection } from "../testing/company.ts";
import { eventually } from "../testing/eventually.ts";
import { startProcess } from "../testing/process.ts";
import type { Script } from "../testing/scripted-service.ts";
import { createScriptedService } from "../testing/scripted-service.ts";
import type { PictureRequest } from "./deps.ts";
import { tellTyping } from "./outbound.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
});

const person = (id: number) => ({ kind: "pn", value: `55119000000${id}` }) as const;
const wish = (id: number): PictureRequest => ({ contactId: id as ContactId, address: person(id) });
const pictureOf = (text: string) => ({ content: Buffer.from(text), mime: "image/jpeg" });

async function newWorld(script: Script, settings = {}) {
  const line = await newConnection(database.db, { channel: "whatsapp-web" });
  const service = createScriptedService(script);
  const pictureRequests: PictureRequest[] = [];
  const pictures: { contactId: number; content: string | null }[] = [];
  const process = await startProcess(database, {
    adapters: [["whatsapp-web", service.adapter]],
    settings: { picturesEveryMs: 20, ...settings },
    pictureRequests,
    pictures,
  });
  const asked = () =>
    service.sessions.flatMap(({ calls }) => calls.filter((call) => call.startsWith("picture")));
  return { line, service, process, pictureRequests, pictures, asked };
}

test("pictures are requested one at a time, and a missing picture is an answer too", async () => {
  const { process, pictureRequests, pictures, asked } = await newWorld({
    onPicture: ({ value }) => (value.endsWith("2") ? null : pictureOf(value)),
  });
  pictureRequests.push(wish(1), wish(2));
  process.runChannels();
  await eventually(() =>
    expect(pictures).toEqual([
      { contactId: 1, content: person(1).value },
      { contactId: 2, content: null },
    ]),
  );
  expect(asked()).toEqual([`picture ${person(1).value}`, `picture ${person(2).value}`]);
});

test("a late or unavailable picture delays no other", async () => {
  const { process, pictureRequests, pictures } = await newWorld(
    {
      onPicture: async ({ value }) => {
        if (value.endsWith("1")) await new Promise(() => undefined);
        if (value.endsWith("2")) throw new Error("not now");
        return pictureOf(value);
      },
    },
    { pictureMs: 50 },
  );
  pictureRequests.push(wish(1), wish(2), wish(3));
  const channels = process.runChannels();
  await eventually(() => expect(pictures).toEqual([{ contactId: 3, content: person(3).value }]));
  await channels.idle();
  expect(pictures).toHaveLength(1);
});

test("a channel without pictures, or without a session, is not asked", async () => {
  const without = createScriptedService({ capabilities: { profilePicture: false } });
  const opening = createScriptedService({
    onStart: ({ context }) => context.sink.tell({ type: "qr", text: "um" }),
  });
  const connected = createScriptedService({ onPicture: ({ value }) => pictureOf(value) });
  const pictureRequests: PictureRequest[] = [];
  const process = await startProcess(database, {
    adapters: [
      ["whatsapp-web", without.adapter],
      ["cloud-api", opening.adapter],
      ["simulator", connected.adapter],
    ],
    settings: { picturesEveryMs: 20 },
    pictureRequests,
  });
  for (const channel of ["whatsapp-web", "cloud-api", "simulator"] as const) {
    await newConnection(database.db, { channel });
  }
  process.runChannels();
  await eventually(() => {
    for (const service of [without, opening, connected]) expect(service.started()).toHaveLength(1);
  });
  const asked = ({ sessions }: typeof without) =>
    sessions.flatMap(({ calls }) => calls.filter((call) => call.startsWith("picture")));
  for (const id of [1, 2, 3]) {
    pictureRequests.push(wish(id));
    await eventually(() => expect(asked(connected)).toContain(`picture ${person(id).value}`));
  }
  expect([asked(without), asked(opening)]).toEqual([[], []]);
});

test("typing reaches the session of the process that owns the connection, and no other", async () => {
  const { line, service, process } = await newWorld({});
  const other = await newConnection(database.db, { channel: "whatsapp-web" });
  const api = await startProcess(database);
  process.runChannels();
  await eventually(() => expect(service.started().length).toBeGreaterThan(1));
  const tell = (isTyping: boolean) =>
    tellTyping(api.wake, { connectionId: line.connectionId, chat: person(7), isTyping });
  const callsOf = ({ connectionId }: typeof line) =>
    service.sessions
      .filter(({ context }) => context.connectionId === connectionId)
      .flatMap(({ calls }) => calls.filter((call) => call.startsWith("typing")));
  await eventually(() => {
    tell(true);
    expect(callsOf(line)).toContain(`typing ${person(7).value} true`);
  });
  tell(false);
  await eventually(() => expect(callsOf(line).at(-1)).toBe(`typing ${person(7).value} false`));
  expect(callsOf(other)).toEqual([]);
});
