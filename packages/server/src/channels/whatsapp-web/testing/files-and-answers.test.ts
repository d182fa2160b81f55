import { downloadMediaMessage } from "baileys";
import { expect, test } from "vitest";
import { trustCertificate } from "../../../testing/tls-certificate.ts";
import { linkedClient } from "./linked-client.ts";

const picture = Buffer.from(Array.from({ length: 5_000 }, (_, index) => index % 251));

test("files go both ways through the media host, encrypted", async () => {
  const { peer, account, client } = await linkedClient();
  trustCertificate(peer.certificatePem);
  const ana = account.contact("5511988880001");
  await ana.sends({ kind: "image", bytes: picture, mimetype: "image/png", caption: "veja" });
  const { message } = await client.arrives(({ message }) => Boolean(message?.imageMessage));
  expect(message.message?.imageMessage?.caption).toBe("veja");
  expect(await downloadMediaMessage(message, "buffer", {})).toEqual(picture);

  await client.sock().sendMessage(ana.jids.pn, {
    ...{ document: picture, mimetype: "application/pdf", fileName: "conta.pdf", caption: "segue" },
  });
  const sent = await ana.receives("segue");
  const file =
    sent.message.documentWithCaptionMessage?.message?.documentMessage ??
    sent.message.documentMessage;
  expect(file?.fileName).toBe("conta.pdf");
  expect(await peer.media.open(file ?? {}, "document")).toEqual(picture);
  expect(peer.media.uploads()).toBe(1);
});

test("a file that the service has forgotten is uploaded again by the phone that sent it", async () => {
  const { peer, account, client } = await linkedClient();
  const ana = account.contact("5511988880001");
  await ana.sends({ kind: "image", bytes: picture, mimetype: "image/png" });
  const { message } = await client.arrives(({ message }) => Boolean(message?.imageMessage));
  peer.media.forget();
  await expect(peer.media.open(message.message?.imageMessage ?? {}, "image")).rejects.toThrow();
  const renewed = await client.sock().updateMediaMessage(message);
  expect(await peer.media.open(renewed.message?.imageMessage ?? {}, "image")).toEqual(picture);
});

test("the service acknowledges, refuses or swallows what the company sends", async () => {
  const { account, client } = await linkedClient();
  const ana = account.contact("5511988880001");
  const accepted = await client.sends(ana.jids.pn, "um");
  await ana.receivesId(accepted);
  await expect
    .poll(() => client.acks.find(({ id }) => id === accepted))
    .toMatchObject({
      class: "message",
    });
  account.setAnswer({ error: "463" });
  const refused = await client.sends(ana.jids.pn, "dois");
  await expect.poll(() => client.acks.find(({ id }) => id === refused)?.["error"]).toBe("463");
  account.setAnswer("lose");
  const lost = await client.sends(ana.jids.pn, "três");
  await expect.poll(() => account.lost()).toEqual([lost]);
  account.setAnswer("mute");
  const mute = await client.sends(ana.jids.pn, "quatro");
  await ana.receivesId(mute);
  expect(client.acks.map(({ id }) => id)).toEqual([accepted, refused]);
  expect(ana.received().map(({ text }) => text)).toEqual(["um", "quatro"]);
});

test("the same id sent twice is one message on the contact's phone", async () => {
  const { account, client } = await linkedClient();
  const ana = account.contact("5511988880001");
  const id = await client.sends(ana.jids.pn, "uma vez");
  await ana.receivesId(id);
  await client.sock().sendMessage(ana.jids.pn, { text: "uma vez" }, { messageId: id });
  await expect.poll(() => ana.received()).toMatchObject([{ id, copies: 2 }]);
});

test("typing, calls and pictures reach who is to see them", async () => {
  const { account, client } = await linkedClient();
  const ana = account.contact("5511988880001");
  await ana.sends("oi");
  await client.receives("oi");
  await client.sock().sendPresenceUpdate("composing", ana.jids.pn);
  await expect.poll(() => ana.signals()).toContain("chatstate/composing");
  const call = client.next("call");
  const id = ana.calls({ video: true });
  const offered = (await call)[0];
  expect(offered).toMatchObject({ id, status: "offer", isVideo: true });
  await client.sock().rejectCall(id, offered?.from ?? "");
  await expect.poll(() => ana.signals()).toContain("call/reject");
  expect(
    await client
      .sock()
      .profilePictureUrl(ana.jids.pn)
      .catch(() => null),
  ).toBeNull();
  ana.setPicture(picture);
  expect(await client.sock().profilePictureUrl(ana.jids.pn)).toContain("https://127.0.0.1");
});

test("the phone gives what was said before to a newly linked client", async () => {
  const { peer, account, client } = await linkedClient();
  expect(await client.nextHistory()).toMatchObject({ syncType: 3 });
  expect(peer.errors()).toEqual([]);
  expect(account.isConnected()).toBe(true);
});
