import type { KnowledgeItem } from "@balcao/contract";
import { limits } from "@balcao/contract/limits";
import { useDebouncedValue } from "@mantine/hooks";
import { IconBook2, IconSearch } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useId, useState } from "react";
import { formatDate, formatNumber } from "../../i18n/format.ts";
import { useTranslation } from "../../i18n/index.ts";
import { errorText } from "../../ui/index.ts";
import { lazyPart } from "../../ui/lazy-part.tsx";
import { Pill } from "../../ui/marks.tsx";
import { RecordPage, useListAddress } from "../../ui/page/record-page.tsx";
import { RowName } from "../../ui/page/record-table.tsx";
import { deleteItem, knowledgePages, searchKnowledge } from "./api.ts";
import classes from "./knowledge.module.css";

const KnowledgeDialog = lazyPart(
  async () => (await import("./knowledge-dialog.tsx")).KnowledgeDialog,
  "over",
  "admin",
);

/** What agents may quote: articles, questions with answers and the texts of files; and a trial of the search. */
export function KnowledgePage({ tabs }: { tabs: ReactNode }): ReactNode {
  const { t } = useTranslation();
  const address = useListAddress({ tab: "knowledge" });
  const pages = knowledgePages.usePages(address.words);
  const isEmpty = pages.count === 0 && address.words === "";
  return (
    <RecordPage
      texts="knowledge"
      icon={IconBook2}
      address={address}
      pages={pages}
      filters={tabs}
      nameOf={({ title }) => title}
      columns={[
        {
          id: "title",
          title: t("knowledge.itemTitle"),
          renderCell: (item) => <RowName name={item.title} />,
          sortBy: ({ title }) => title,
          isName: true,
        },
        {
          id: "kind",
          fit: "content",
          title: t("knowledge.kind"),
          renderCell: ({ kind }) => t(`knowledge.kinds.${kind}`),
          sortBy: ({ kind }) => t(`knowledge.kinds.${kind}`),
        },
        {
          id: "length",
          fit: "content",
          align: "end",
          isExtra: true,
          title: t("knowledge.length"),
          renderCell: ({ length }) => t("knowledge.characters", { length: formatNumber(length) }),
          sortBy: ({ length }) => length,
          isLargestFirst: true,
        },
        {
          id: "updated",
          title: t("knowledge.updated"),
          renderCell: (item) => savedWords(item),
          sortBy: ({ updatedAt }) => updatedAt,
          isLargestFirst: true,
        },
        {
          id: "state",
          fit: "content",
          title: t("knowledge.state"),
          renderCell: ({ isActive }) => (
            <Pill tone={isActive ? "ok" : undefined}>
              {t(isActive ? "knowledge.isUsed" : "knowledge.isUnused")}
            </Pill>
          ),
          sortBy: ({ isActive }) => Number(!isActive),
        },
      ]}
      renderForm={(item, onClose) => <KnowledgeDialog item={item} onClose={onClose} />}
      deleteText={() => t("knowledge.deleteText")}
      onDelete={({ id }) => deleteItem(id)}
      foot={isEmpty || !pages.rows ? null : <SearchTrial onOpen={address.openForm} />}
    />
  );
}

const savedWords = ({ updatedAt, author }: KnowledgeItem): string =>
  [formatDate(updatedAt), author].filter((part) => part !== "").join(" · ");

/** What agents would be given for a customer's words. */
function SearchTrial({ onOpen }: { onOpen: (id: number) => void }): ReactNode {
  const { t } = useTranslation();
  const id = useId();
  const [typed, setTyped] = useState("");
  const [text] = useDebouncedValue(typed.trim(), limits.searchDebounceMs);
  const { data: parts, error } = useQuery({
    queryKey: ["knowledge", "trial", text],
    queryFn: ({ signal }) => searchKnowledge(text, signal),
    enabled: text !== "",
    staleTime: 0,
  });
  return (
    <section className={classes["trial"]} aria-labelledby={`${id}title`}>
      <h2 id={`${id}title`} className={classes["trialTitle"]}>
        {t("knowledge.trial.title")}
      </h2>
      <p className="bc-small" id={`${id}help`}>
        {t("knowledge.trial.help")}
      </p>
      <div className={classes["trialField"]}>
        <IconSearch size={15} stroke={1.7} aria-hidden="true" />
        <input
          className="bc-phone-field"
          value={typed}
          maxLength={limits.knowledgeSearchMax}
          aria-labelledby={`${id}title`}
          aria-describedby={`${id}help`}
          placeholder={t("knowledge.trial.hint")}
          onChange={(event) => setTyped(event.currentTarget.value)}
        />
      </div>
      <div role="status">
        {error === null || text === "" ? null : errorText(t, error)}
        {text !== "" && parts?.length === 0 ? (
          <p className="bc-small">{t("knowledge.trial.nothing")}</p>
        ) : null}
        {text === "" || !parts || parts.length === 0 ? null : (
          <p className="bc-hidden-text">{t("knowledge.trial.found", { count: parts.length })}</p>
        )}
      </div>
      {text === "" || !parts ? null : (
        <ol className={classes["parts"]}>
          {parts.map((part, place) => (
            // oxlint-disable-next-line react/no-array-index-key -- an item may stand there several times
            <li key={place} className={classes["part"]}>
              <button
                type="button"
                className={classes["source"]}
                onClick={() => onOpen(part.itemId)}
              >
                {part.title}
              </button>
              <p className={classes["quote"]}>{part.text}</p>
            </li>
          ))}
        </ol>
      )}
    </section>
  );
}
