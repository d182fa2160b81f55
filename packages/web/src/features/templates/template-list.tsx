import type { MessageTemplate } from "@balcao/contract";
import { TextInput } from "@mantine/core";
import { IconSearch, IconTemplate } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { useState } from "react";
import { useTranslation } from "../../i18n/index.ts";
import { EmptyState, ListSkeleton, LoadFailed } from "../../ui/index.ts";
import { useTemplates } from "./api.ts";
import { matches } from "../../ui/matches.ts";
import { searchedText } from "./template-text.ts";
import classes from "./template-dialog.module.css";

type Props = { connectionId: number; onChoose: (template: MessageTemplate) => void };

/** All approved templates with a search. */
export function TemplateList({ connectionId, onChoose }: Props): ReactNode {
  const { t } = useTranslation();
  const [words, setWords] = useState("");
  const { data: templates, error, refetch } = useTemplates(connectionId);
  if (templates === undefined && error !== null) {
    return <LoadFailed icon={IconTemplate} error={error} onRetry={() => void refetch()} />;
  }
  if (templates === undefined) return <ListSkeleton rows={3} />;
  if (templates.length === 0) {
    return (
      <EmptyState
        icon={IconTemplate}
        title={t("templates.emptyTitle")}
        text={t("templates.emptyText")}
      />
    );
  }
  const found = templates.filter((template) => matches(searchedText(template), words));
  return (
    <div className={classes["picker"]}>
      <TextInput
        type="search"
        aria-label={t("templates.search")}
        placeholder={t("templates.search")}
        leftSection={<IconSearch size={15} stroke={1.7} aria-hidden="true" />}
        value={words}
        onChange={(event) => setWords(event.currentTarget.value)}
        data-autofocus
      />
      {found.length === 0 ? (
        <p className={classes["none"]} role="status">
          {t("templates.noMatch", { words })}
        </p>
      ) : (
        <ul className={classes["list"]} aria-label={t("templates.list")}>
          {found.map((template) => (
            <li key={`${template.name} ${template.language}`}>
              <button
                type="button"
                className={classes["option"]}
                onClick={() => onChoose(template)}
              >
                <span className={classes["name"]}>
                  {template.name}
                  <span className={classes["language"]}>{template.language}</span>
                </span>
                <span className={classes["excerpt"]}>{template.body}</span>
              </button>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
