import type { Group, User } from "./account.ts";
import { lidOf, pnOf } from "./account.ts";
import type { BinaryNode } from "./nodes.ts";
import { node } from "./nodes.ts";

export function groupJid({ id }: Group): string {
  return `${id}@g.us`;
}

/** The service's metadata of a group; `company` is one of its members. */
export function groupNode(group: Group, company: User): BinaryNode {
  const [owner] = group.members;
  return node(
    "group",
    {
      ...{ id: group.id, subject: group.subject, addressing_mode: "lid" },
      ...{ creation: "1700000000", s_t: "1700000000" },
      creator: owner && lidOf(owner),
      s_o: owner && lidOf(owner),
    },
    [...group.members, company].map((member) =>
      node("participant", {
        jid: lidOf(member),
        phone_number: pnOf(member),
        type: member === owner ? "admin" : undefined,
      }),
    ),
  );
}
