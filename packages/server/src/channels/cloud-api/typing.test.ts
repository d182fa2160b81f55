import { clientEvents } from "@balcao/contract";
import { expect, test } from "vitest";
import { eventually } from "../testing/eventually.ts";
import { cloudWorld } from "./testing/cloud-office.ts";

const { product, stub, newLine } = await cloudWorld();

test("the customer sees that somebody writes to him, as an answer to his newest message", async () => {
  const line = await newLine();
  const phone = "5511933330001";
  await line.writes({ phone }, "Oi");
  const newest = await line.writes({ phone }, "Tem alguém aí?");
  const ticket = await line.ticketOf(phone);
  await product.idle();
  const { socket } = await product.live(line.admin);
  socket.emit(clientEvents.joinChatBox, String(ticket.id));
  await eventually(() => {
    socket.emit(clientEvents.ticketViewing, {
      ticketId: ticket.id,
      state: "typing",
      windowId: "w1",
    });
    expect(stub.marks).toContainEqual({ wamid: newest, typing: true });
  });
});
