import type { AccountState } from "./account.ts";
import { lidOf, pnOf, receiverOf } from "./account.ts";
import { groupNode } from "./groups.ts";
import type { LinkedDevice } from "./linked-device.ts";
import { bundleNodes, storeKeys } from "./linked-device.ts";
import type { MediaHost } from "./media-host.ts";
import type { BinaryNode } from "./nodes.ts";
import { child, childrenOf, node, SERVER } from "./nodes.ts";
import { answerUsync } from "./usync.ts";

export type QueryDeps = {
  account: AccountState;
  device: LinkedDevice;
  media: MediaHost;
  /** The device takes stanzas from now on. */
  activate(): void;
  /** The device unlinks itself. */
  unlink(): void;
};

type Answer = BinaryNode[] | { error: string; text: string };

/** Answers a query of a linked device: with what the service would say, or with an empty result. */
export async function answerQuery(deps: QueryDeps, query: BinaryNode): Promise<void> {
  const { line } = deps.device;
  const { id, type, xmlns } = query.attrs;
  if (!line || (type !== "get" && type !== "set")) return;
  if (xmlns === "usync" && deps.account.lookup === "silent") return;
  const answer = await answerOf(deps, query, `${type} ${xmlns}`);
  const failed = !Array.isArray(answer);
  line.send(
    node(
      "iq",
      { from: query.attrs["to"] ?? SERVER, id, type: failed ? "error" : "result" },
      failed ? [node("error", { code: answer.error, text: answer.text })] : answer,
    ),
  );
  if (xmlns === "passive" && child(query, "active")) deps.activate();
  if (child(query, "remove-companion-device")) deps.unlink();
}

async function answerOf(deps: QueryDeps, query: BinaryNode, kind: string): Promise<Answer> {
  const { account, device } = deps;
  switch (kind) {
    case "get encrypt":
      return answerKeys(deps, query);
    case "set encrypt":
      storeKeys(device, query);
      return [];
    case "get usync":
      return answerUsync(account, query);
    case "get abt":
      return [node("props", { protocol: "1", hash: "1", refresh: "86400" })];
    case "get blocklist":
      return [node("list", { matched: "false" })];
    case "get privacy":
      return [
        node("privacy", {}, [
          node("category", { name: "readreceipts", value: "all" }),
          node("category", { name: "last", value: "all" }),
        ]),
      ];
    case "set privacy":
      return [node("tokens")];
    case "set w:m":
      return [
        node("media_conn", { auth: "media-auth", ttl: "3600", auth_ttl: "21600" }, [
          node("host", { hostname: deps.media.host, maxContentLengthBytes: "104857600" }),
        ]),
      ];
    case "get w:g2":
      return answerGroups(account, query);
    case "get w:profile:picture":
      return answerPicture(deps, query);
    case "set w:sync:app:state":
      return [node("sync", {}, childrenOf(child(query, "sync") ?? query).map(unchanged))];
    case "get w:mex":
      return [node("result", {}, Buffer.from(JSON.stringify({ data: {} })))];
    default:
      return [];
  }
}

async function answerKeys({ account, device }: QueryDeps, query: BinaryNode): Promise<Answer> {
  if (child(query, "count")) return [node("count", { value: String(device.preKeys.length) })];
  if (child(query, "digest")) {
    return [node("digest", {}, bundleNodes({ ...device }).slice(0, 4))];
  }
  const users = childrenOf(child(query, "key") ?? query).map(async ({ attrs }) => {
    const user = receiverOf(account, attrs["jid"])?.user;
    if (!user) {
      return node("user", { jid: attrs["jid"] }, [
        node("error", { code: "404", text: "item-not-found" }),
      ]);
    }
    return node("user", { jid: attrs["jid"] }, bundleNodes(await user.device.bundle()));
  });
  return [node("list", {}, await Promise.all(users))];
}

function answerGroups({ groups, user }: AccountState, query: BinaryNode): Answer {
  if (child(query, "participating")) {
    return [
      node(
        "groups",
        {},
        [...groups.values()].map((group) => groupNode(group, user)),
      ),
    ];
  }
  const group = groups.get((query.attrs["to"] ?? "").split("@")[0] ?? "");
  return group ? [groupNode(group, user)] : { error: "404", text: "item-not-found" };
}

function answerPicture({ account, media }: QueryDeps, query: BinaryNode): Answer {
  const user = receiverOf(account, query.attrs["target"])?.user;
  const url = user && (media.pictureOf(pnOf(user)) ?? media.pictureOf(lidOf(user)));
  if (!url) return { error: "404", text: "item-not-found" };
  return [node("picture", { id: "1", type: "image", url })];
}

/** No change since the version that the device has. */
function unchanged({ attrs }: BinaryNode): BinaryNode {
  return node("collection", { name: attrs["name"], version: attrs["version"] });
}
