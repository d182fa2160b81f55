import { once } from "node:events";
import type { Socket } from "node:net";
import { connect, createServer } from "node:net";

/** One browser's way to the product, for HTTP and the live channel alike, which can be held and cut. */
export type Line = {
  /** Where the browser finds the product. */
  url: string;
  /** Drops all packets in both directions, without closing. */
  hold(): void;
  /** Every connection breaks; new ones break as well. */
  cut(): void;
  /** Everything gets through again; what was held arrives late. */
  mend(): void;
  close(): Promise<void>;
};

/** Opens a line to the product at `url`. */
export async function openLine(url: string): Promise<Line> {
  const { hostname, port } = new URL(url);
  const sockets = new Set<Socket>();
  let state: "open" | "held" | "cut" = "open";

  const server = createServer((browser) => {
    if (state === "cut") {
      browser.resetAndDestroy();
      return;
    }
    const product = connect({ host: hostname, port: Number(port) });
    join(browser, product);
    join(product, browser);
  });

  function join(from: Socket, to: Socket): void {
    sockets.add(from);
    from.setNoDelay(true);
    from.pipe(to);
    if (state === "held") from.pause();
    // One that breaks takes the other with it; why it broke is the browser's to notice.
    from.on("error", () => undefined);
    from.on("close", () => {
      sockets.delete(from);
      to.destroy();
    });
  }

  function breakAll(): void {
    for (const socket of sockets) socket.destroy();
  }

  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the line has no port");

  return {
    url: `http://127.0.0.1:${address.port}`,
    hold() {
      state = "held";
      for (const socket of sockets) socket.pause();
    },
    cut() {
      state = "cut";
      breakAll();
    },
    mend() {
      state = "open";
      for (const socket of sockets) socket.resume();
    },
    async close() {
      breakAll();
      server.close();
      await once(server, "close");
    },
  };
}
