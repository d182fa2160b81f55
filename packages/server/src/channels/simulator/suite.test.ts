import type { SimulatorMessage } from "@balcao/contract";
import { phonesOf } from "../testing/phones.ts";
import type { CustomerPhone, SeenMessage } from "../testing/channel-under-test.ts";
import { describeChannel } from "../testing/suite.ts";
import { simulatorCapabilities } from "./provider.ts";

describeChannel("simulator", async () => ({
  channel: "simulator",
  capabilities: simulatorCapabilities,
  networkOf(process, line) {
    const phones = phonesOf(process, line);

    async function seen(message: SimulatorMessage): Promise<SeenMessage> {
      const { id, body, quoted, file, isEdited, isDeleted } = message;
      const content = file ? (await phones.file(id)).bytes : null;
      return { text: body, quotedId: quoted?.id ?? null, file: content, isEdited, isDeleted };
    }

    return {
      prepare: () => process.link(line),
      async customer(phone): Promise<CustomerPhone> {
        await phones.addCustomer("Lia", phone);
        return {
          async writes(body, { id, quotedId } = {}) {
            const more = {
              ...(id === undefined ? {} : { messageId: id }),
              ...(quotedId === undefined ? {} : { quotedId }),
            };
            return (await phones.write(phone, { body, ...more })).id;
          },
          async sendsPicture(content, caption) {
            const file = { name: "foto.png", mime: "image/png", content };
            return (await phones.sendFile(phone, { as: "image", caption }, file)).id;
          },
          async reacts(id, emoji) {
            await phones.react(id, emoji ?? "");
          },
          async edits(id, text) {
            await phones.edit(id, text);
          },
          async deletes(id) {
            await phones.remove(id);
          },
          reads: () => phones.read(phone),
          async sees() {
            const messages = await phones.messages(phone);
            return Promise.all(messages.filter(({ fromCustomer }) => !fromCustomer).map(seen));
          },
          async reactionsTo(id) {
            const messages = await phones.messages(phone);
            const reactions = messages.find((one) => one.id === id)?.reactions ?? [];
            return reactions.filter(({ fromCompany }) => fromCompany).map(({ emoji }) => emoji);
          },
        };
      },
      async breaks() {
        await phones.network({ online: false });
      },
      async comesBack() {
        await phones.network({ online: true });
      },
      async refuses() {
        await phones.network({ sendMode: "refuse" });
      },
    };
  },
}));
