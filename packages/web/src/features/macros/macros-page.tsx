import type { Macro } from "@balcao/contract";
import { IconBolt } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useTranslation } from "../../i18n/index.ts";
import { lazyPart } from "../../ui/lazy-part.tsx";
import { RecordPage, useListAddress } from "../../ui/page/record-page.tsx";
import { useSession } from "../auth/index.ts";
import { useQueues } from "../queues/index.ts";
import { tagList } from "../tags/index.ts";
import { deleteMacro, keysOf, macroList } from "./api.ts";

const MacroDialog = lazyPart(async () => (await import("./macro-dialog.tsx")).MacroDialog, "over");

/** The macros of the company, beside the quick messages; `tools` leads back to them. */
export function MacrosPage({ tools }: { tools: ReactNode }): ReactNode {
  const { t } = useTranslation();
  const address = useListAddress();
  const { can } = useSession();
  const stepsOf = useSteps();
  const mayManage = can("quick-messages:manage-all");
  return (
    <RecordPage
      texts="macros"
      icon={IconBolt}
      address={address}
      pages={macroList.usePages(address.words, ({ name }) => name)}
      nameOf={({ name }) => name}
      tools={tools}
      columns={[
        {
          id: "name",
          title: t("macros.name"),
          renderCell: ({ name }) => name,
          sortBy: ({ name }) => name,
          isName: true,
        },
        {
          id: "key",
          title: t("macros.key"),
          renderCell: ({ key }) => (key === null ? t("macros.noKey") : <kbd>{keysOf(key)}</kbd>),
          sortBy: ({ key }) => key,
        },
        { id: "steps", title: t("macros.steps"), renderCell: (macro) => stepsOf(macro) },
      ]}
      mayAdd={mayManage}
      mayEdit={() => mayManage}
      mayDelete={() => mayManage}
      renderForm={(macro, onClose) => <MacroDialog macro={macro} onClose={onClose} />}
      deleteText={() => t("macros.deleteText")}
      onDelete={({ id }) => deleteMacro(id)}
    />
  );
}

/** The steps of a macro in words, in the order in which they are carried out. */
function useSteps(): (macro: Macro) => string {
  const { t } = useTranslation();
  const { data: tags = [] } = useQuery(tagList.query);
  const queues = useQueues() ?? [];
  return ({ message, tagId, queueId, resolves }) => {
    const tag = tags.find(({ id }) => id === tagId);
    const queue = queues.find(({ id }) => id === queueId);
    return [
      ...(message.trim() === "" ? [] : [t("macros.says", { text: message.trim() })]),
      ...(tag ? [t("macros.tags", { name: tag.name })] : []),
      ...(queue ? [t("macros.goesTo", { name: queue.name })] : []),
      ...(resolves ? [t("macros.resolves")] : []),
    ].join(" · ");
  };
}
