import type { Schedule } from "@balcao/contract";
import sharp from "sharp";
import { beforeAll, expect, test } from "vitest";
import type { TestApp } from "../../testing/app.ts";
import type { GivenUser } from "../../testing/given.ts";
import {
  arrived,
  createLine,
  MINUTE_MS,
  newCustomer,
  schedule,
  schedulingApp,
  show,
  untilStatus,
} from "./testing/line.ts";

let app: TestApp;
let png: Buffer;
let jpg: Buffer;
beforeAll(async () => {
  app = await schedulingApp();
  const picture = sharp({ create: { width: 8, height: 6, channels: 3, background: "#c03" } });
  png = await picture.clone().png().toBuffer();
  jpg = await picture.clone().jpeg().toBuffer();
});

async function attach(user: GivenUser, id: number, content: Buffer, name: string, type = "") {
  const form = new FormData();
  form.append("file", new Blob([new Uint8Array(content)], { type }), name);
  const reply = await fetch(`${app.url}/api/schedules/${id}/media-upload`, {
    method: "POST",
    headers: { authorization: `Bearer ${user.token}` },
    body: form,
  });
  return { status: reply.status, body: (await reply.json()) as { code?: string } };
}

test("text and picture go out as one message", async () => {
  const line = await createLine(app);
  const { agent } = line;
  const customer = await newCustomer(app, line, "Bia Souza");
  const { contactId } = customer;
  const { id } = await schedule(app, agent, { contactId, minutes: 1, body: "Veja, {{name}}" });
  const reply = await attach(agent, id, png, "férias.png", "image/png");
  expect(reply).toEqual({ status: 200, body: { mensagem: "Arquivo Anexado" } });
  expect(await show(app, agent, id)).toMatchObject({
    mediaName: "férias.png",
    mediaPath: expect.stringMatching(/^[\w-]+\.png$/),
  });
  app.clock.advance(2 * MINUTE_MS);
  await untilStatus(app, agent, id, "ENVIADA");
  expect(await arrived(app, line, customer.phone)).toMatchObject([
    { kind: "image", body: "Veja, Bia Souza", file: { mime: "image/png", bytes: png.length } },
  ]);
  // The message keeps its picture when the schedule goes.
  await app.as(agent).delete(`/schedules/${id}`);
  const { messages } = (
    await app
      .as(line.admin)
      .get<{ messages: { media: { url: string } }[] }>(`/messages/${customer.id}?markRead=false`)
  ).body;
  const url = messages[0]?.media.url ?? "";
  const file = await fetch(new URL(url, app.url));
  expect([file.status, (await file.arrayBuffer()).byteLength]).toEqual([200, png.length]);
});

test("a picture takes the place of the one before, and can be removed", async () => {
  const line = await createLine(app);
  const { agent } = line;
  const { contactId } = await newCustomer(app, line);
  const { id } = await schedule(app, agent, { contactId, minutes: 60 });
  await attach(agent, id, png, "um.png");
  const first = await show(app, agent, id);
  await attach(agent, id, jpg, "dois.jpeg");
  const second = await show(app, agent, id);
  expect([second.mediaName, second.mediaPath]).not.toContain(first.mediaPath);
  expect(second).toMatchObject({ mediaName: "dois.jpeg" });
  const removed = await app.as(agent).delete(`/schedules/${id}/media-upload`);
  expect([removed.status, removed.body]).toEqual([200, { mensagem: "Arquivo Excluído" }]);
  expect(await show(app, agent, id)).toMatchObject({ mediaPath: null, mediaName: null });
});

test("only PNG and JPEG, by their content, are attached", async () => {
  const line = await createLine(app);
  const { agent } = line;
  const { contactId } = await newCustomer(app, line);
  const { id } = await schedule(app, agent, { contactId, minutes: 60 });
  const picture = sharp(png);
  for (const [content, name] of [
    [await picture.clone().webp().toBuffer(), "imagem.webp"],
    [await picture.clone().gif().toBuffer(), "imagem.gif"],
    [Buffer.from("<svg xmlns='http://www.w3.org/2000/svg'><script/></svg>"), "imagem.svg"],
    [Buffer.from("texto"), "imagem.png"],
    [await picture.clone().gif().toBuffer(), "imagem.png"],
    [Buffer.from("%PDF-1.4"), "contrato.pdf"],
  ] as const) {
    const reply = await attach(agent, id, content, name, "image/png");
    expect([name, reply.status]).toEqual([name, 415]);
    expect(reply.body.code).toMatch(/^ERR_FILE_/);
  }
  expect(await show(app, agent, id)).toMatchObject({ mediaPath: null, mediaName: null });
});

test("the schedule's owner or an admin attaches a picture, before it is sent", async () => {
  const line = await createLine(app);
  const { agent, admin, company } = line;
  const colleague = await app.given.agent({ company });
  const stranger = await app.given.admin({ company: await app.given.company() });
  const customer = await newCustomer(app, line);
  const { contactId } = customer;
  const { id } = await schedule(app, agent, { contactId, minutes: 1 });
  for (const user of [colleague, stranger]) {
    const reply = await attach(user, id, png, "a.png");
    expect([reply.status, reply.body.code]).toEqual([404, "ERR_NO_SCHEDULE_FOUND"]);
  }
  expect((await attach(admin, id, png, "a.png")).status).toBe(200);
  app.clock.advance(2 * MINUTE_MS);
  const sent: Schedule = await untilStatus(app, agent, id, "ENVIADA");
  const late = await attach(agent, id, jpg, "b.jpg");
  expect([late.status, late.body.code]).toEqual([400, "ERR_SCHEDULE_SENT"]);
  expect((await show(app, agent, id)).mediaPath).toBe(sent.mediaPath);
});
