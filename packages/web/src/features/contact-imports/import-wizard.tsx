import type { ShownContactImport } from "@balcao/contract";
import { IconCheck, IconTableImport } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { useTranslation } from "../../i18n/index.ts";
import { Link } from "../../router/index.tsx";
import { Page } from "../../ui/page/page.tsx";
import { ListSkeleton, LoadFailed } from "../../ui/states.tsx";
import { useImport } from "./api.ts";
import { ColumnsStep } from "./columns-step.tsx";
import classes from "./import-wizard.module.css";
import { ImportList } from "./import-list.tsx";
import { RunStep } from "./run-step.tsx";
import { bookAddress } from "./rules.ts";
import { UploadStep } from "./upload-step.tsx";

/** An import goes to the address book, or to a list. */
type Target = {
  contactListId: number | null;
  /** Of the list; undefined while it is read. */
  listName?: string | undefined;
};

type Props = Target & {
  /** Of the address; what is no id begins a new import. */
  importId: string | undefined;
};

/** The import of a spreadsheet in three steps (ui-2.md, Import): its file, its columns with a dry run, and the import itself. */
export function ImportWizard({ importId, ...target }: Props): ReactNode {
  const id = Number(importId);
  if (Number.isInteger(id) && id > 0) return <KnownImport key={id} id={id} target={target} />;
  return (
    <Frame target={target} step="file">
      <WithList listId={target.contactListId} openId={null}>
        <UploadStep contactListId={target.contactListId} />
      </WithList>
    </Frame>
  );
}

function KnownImport({ id, target }: { id: number; target: Target }): ReactNode {
  const { data, error, refetch } = useImport(id);
  if (data !== undefined) return <OneImport one={data} target={target} />;
  return (
    <Frame target={target} step="file">
      {error === null ? (
        <ListSkeleton />
      ) : (
        <div className={classes["card"]}>
          <LoadFailed icon={IconTableImport} error={error} onRetry={() => void refetch()} />
        </div>
      )}
    </Frame>
  );
}

function OneImport({ one, target }: { one: ShownContactImport; target: Target }): ReactNode {
  const { state, settings, contactListId } = one;
  if (state === "draft" && settings !== null) {
    return (
      <ColumnsStep
        draft={{ ...one, settings }}
        renderFrame={(content, foot) => (
          <Frame target={target} step="columns" foot={foot}>
            {content}
          </Frame>
        )}
      />
    );
  }
  const isRead = state !== "reading" && state !== "unreadable";
  return (
    <Frame target={target} step={isRead ? "run" : "file"}>
      <WithList listId={contactListId} openId={one.id}>
        {isRead ? (
          <RunStep one={one} />
        ) : (
          <UploadStep contactListId={contactListId} sent={one} key={state} />
        )}
      </WithList>
    </Frame>
  );
}

const steps = ["file", "columns", "run"] as const;

type FrameProps = {
  target: Target;
  step: (typeof steps)[number];
  /** Stays at the bottom edge. */
  foot?: ReactNode;
  children: ReactNode;
};

function Frame({ target, step, foot, children }: FrameProps): ReactNode {
  const { t } = useTranslation();
  const { contactListId, listName } = target;
  const isList = contactListId !== null;
  return (
    <div className={classes["wizard"]}>
      <Page
        title={
          listName === undefined ? t("imports.title") : t("imports.titleOfList", { name: listName })
        }
        back={
          <Link to={bookAddress(contactListId)}>
            {isList ? (listName ?? t("listMembers.title")) : t("contacts.title")}
          </Link>
        }
        tools={<Steps current={step} />}
      >
        {children}
      </Page>
      {foot}
    </div>
  );
}

function Steps({ current }: { current: FrameProps["step"] }): ReactNode {
  const { t } = useTranslation();
  const place = steps.indexOf(current);
  return (
    <ol className={classes["steps"]} aria-label={t("imports.stepsLabel")}>
      {steps.map((step, index) => (
        <li
          key={step}
          className={classes["step"]}
          aria-current={step === current ? "step" : undefined}
          data-done={index < place || undefined}
        >
          <span className={classes["number"]}>
            {index < place ? <IconCheck size={15} stroke={2} aria-hidden="true" /> : index + 1}
          </span>
          <span className={classes["stepName"]}>{t(`imports.steps.${step}`)}</span>
          {index < place ? <span className="bc-hidden-text">{t("imports.stepDone")}</span> : null}
        </li>
      ))}
    </ol>
  );
}

/** The step, and beside it the imports there are; below it where there is no room. */
function WithList(props: {
  listId: number | null;
  openId: number | null;
  children: ReactNode;
}): ReactNode {
  return (
    <div className={classes["columns"]}>
      <div className={classes["main"]}>{props.children}</div>
      <ImportList listId={props.listId} openId={props.openId} />
    </div>
  );
}
