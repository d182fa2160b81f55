import { expect, test } from "vitest";
import { linkedClient } from "./linked-client.ts";

test("a client links by a code, starts again, logs in, and messages go both ways", async () => {
  const { peer, account, client } = await linkedClient();
  expect(client.creds.me?.id).toBe("5511900000001:1@s.whatsapp.net");
  const ana = account.contact("5511988880001");

  const first = await ana.sends("bom dia");
  const arrived = await client.receives("bom dia");
  expect(arrived.message.key).toMatchObject({
    id: first,
    remoteJid: "5511988880001@s.whatsapp.net",
    remoteJidAlt: `${ana.lid}@lid`,
  });
  const answer = await client.sends("5511988880001@s.whatsapp.net", "bom dia, Ana");
  expect(await ana.receivesId(answer)).toMatchObject({ text: "bom dia, Ana", copies: 1 });
  expect((await account.phone.receivesId(answer)).text).toBe("bom dia, Ana");
  await client.statusOf(answer, 3);
  ana.reads(answer);
  await client.statusOf(answer, 4);

  await ana.sends("segunda");
  await client.receives("segunda");
  // The client confirms a message only after it has handed it over.
  await expect.poll(() => account.undelivered()).toBe(0);
  expect(ana.receiptsOf(first)).toEqual(["inactive"]);
  expect(peer.errors()).toEqual([]);
});

test("a message that came while the client was away comes at the next login, until it is confirmed", async () => {
  const { account, client } = await linkedClient();
  const ana = account.contact("5511988880001");
  await ana.sends("antes");
  await client.receives("antes");
  await expect.poll(() => account.undelivered()).toBe(0);
  account.drop();
  await client.closed(428);
  const missed = await ana.sends("durante");
  expect(account.undelivered()).toBe(1);
  client.connect();
  const { type, message } = await client.receives("durante");
  expect([type, message.key.id]).toEqual(["append", missed]);
  await expect.poll(() => account.undelivered()).toBe(0);
  expect(account.logins()).toBe(2);
});

test("a contact that cannot read a message asks again and gets it under the same id", async () => {
  const { account, client } = await linkedClient();
  const ana = account.contact("5511988880001");
  await ana.sends("oi");
  await client.receives("oi");
  await ana.receivesId(await client.sends(ana.jids.pn, "um"));
  await ana.sends("dois");
  await client.receives("dois");
  await ana.losesSessions();
  const id = await client.sends(ana.jids.pn, "três");
  expect(await ana.receivesId(id)).toMatchObject({ text: "três", copies: 1 });
});

test("a client that cannot read a message asks again and gets it under the same id", async () => {
  const { account, client } = await linkedClient();
  const ana = account.contact("5511988880001");
  await ana.sends("oi");
  await client.receives("oi");
  await ana.receivesId(await client.sends(ana.jids.pn, "um"));
  await ana.sends("dois");
  await client.receives("dois");
  client.losesSessions();
  const id = await ana.sends("três");
  expect((await client.receives("três")).message.key.id).toBe(id);
});

test("edits, deletions and reactions change the message that is there", async () => {
  const { account, client } = await linkedClient();
  const ana = account.contact("5511988880001");
  const id = await ana.sends("erado");
  await client.receives("erado");
  await ana.edits(id, "errado");
  await client.updated(
    id,
    ({ message }) => message?.editedMessage?.message?.conversation === "errado",
  );
  await ana.revokes(id);
  await client.updated(id, ({ messageStubType }) => Number(messageStubType) === 1);
  const answer = await client.sends(ana.jids.pn, "olá");
  await ana.receivesId(answer);
  await ana.reacts(answer, "👍");
  const { message } = await client.arrives(({ message }) => Boolean(message?.reactionMessage));
  expect(message.message?.reactionMessage).toMatchObject({
    text: "👍",
    key: { id: answer, fromMe: true },
  });
});

test("a contact may be known by its LID only, or by both addresses", async () => {
  const { account, client } = await linkedClient();
  const ana = account.contact("5511988880001");
  ana.setAddressing({ from: "lid", alone: true });
  await ana.sends("sem número");
  expect((await client.receives("sem número")).message.key).toMatchObject({
    remoteJid: ana.jids.lid,
  });
  const answer = await client.sends(ana.jids.lid, "quem é?");
  expect((await ana.receivesId(answer)).text).toBe("quem é?");
  ana.setAddressing({ from: "lid", alone: false });
  await ana.sends("com número");
  expect((await client.receives("com número")).message.key).toMatchObject({
    ...{ remoteJid: ana.jids.lid, remoteJidAlt: ana.jids.pn },
  });
});

test("the company may write first, and an unknown number is not found", async () => {
  const { account, client } = await linkedClient();
  const ana = account.contact("5511988880001");
  expect(await client.sock().onWhatsApp(ana.phone, "5511900000404")).toEqual([
    { jid: ana.jids.pn, exists: true },
  ]);
  const id = await client.sends(ana.jids.pn, "podemos ajudar?");
  expect((await ana.receivesId(id)).text).toBe("podemos ajudar?");
});

test("a message from the company's phone reaches the client as its own", async () => {
  const { account, client } = await linkedClient();
  const ana = account.contact("5511988880001");
  const id = await account.phone.sends(ana, "do celular");
  const { message } = await client.arrives(({ key }) => key.id === id);
  expect(message.key).toMatchObject({ fromMe: true, remoteJid: ana.jids.lid });
  expect(message.message?.conversation).toBe("do celular");
});

test("messages go to a group and come from it", async () => {
  const { account, client } = await linkedClient();
  const ana = account.contact("5511988880001");
  const bia = account.contact("5511988880002");
  const group = account.group("Obras", [ana, bia]);
  await ana.sends("primeira", { to: group });
  await ana.sends("segunda", { to: group });
  await client.receives("primeira");
  const { message } = await client.receives("segunda");
  expect(message.key).toMatchObject({
    ...{ remoteJid: group.jid, participant: ana.jids.lid, participantAlt: ana.jids.pn },
  });
  const id = await client.sends(group.jid, "para todos");
  expect((await ana.receivesId(id)).text).toBe("para todos");
  expect((await bia.receivesId(id)).text).toBe("para todos");
  const again = await client.sends(group.jid, "de novo");
  expect((await bia.receivesId(again)).text).toBe("de novo");
  expect((await client.sock().groupMetadata(group.jid)).subject).toBe("Obras");
});
