import type {
  ImportProblem,
  ImportRow,
  ImportSettings,
  ShownContactImport,
} from "@balcao/contract";
import { limits } from "@balcao/contract/limits";
import { NativeSelect, TextInput } from "@mantine/core";
import { IconCheck, IconMessageOff } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { formatNumber } from "../../i18n/format.ts";
import { useTranslation } from "../../i18n/index.ts";
import { formatPhone } from "../../ui/phone-number.ts";
import classes from "./mapping.module.css";
import { columnsUsedTwice, letterOf, importTargets } from "./rules.ts";

/** An import whose columns are being chosen. */
export type Draft = ShownContactImport & { settings: ImportSettings };

type ColumnSettings = ImportSettings["columns"][number];

export type Mapping = {
  draft: Draft;
  settings: ImportSettings;
  /** The rows were read by the settings before these. */
  isSaving: boolean;
  /** Null while they are read. */
  rows: readonly ImportRow[] | null;
  /** What all rows have in common. */
  problem: ImportProblem | null;
  onShowFirst: () => void;
  onColumn: (index: number, part: Partial<ColumnSettings>) => void;
};

/** The mapping on top of the first rows of the sheet. */
export function MappingTable(mapping: Mapping): ReactNode {
  const { t } = useTranslation();
  const { draft, settings, rows, isSaving } = mapping;
  const left = (index: number) => settings.columns[index]?.target === "none" || undefined;
  return (
    <section className={classes["card"]}>
      <OnlySome mapping={mapping} />
      <div className={classes["sideways"]}>
        <table
          className={classes["table"]}
          aria-label={t("imports.mapping")}
          aria-busy={rows === null || isSaving}
        >
          <thead>
            <tr>
              <td className={classes["line"]} />
              {draft.columns.map((_, index) => (
                <td key={letterOf(index)} data-left={left(index)}>
                  <Target mapping={mapping} index={index} />
                </td>
              ))}
            </tr>
            <tr>
              <th scope="col" className={classes["line"]}>
                <span className="bc-hidden-text">{t("imports.line")}</span>
              </th>
              {draft.columns.map(({ title }, index) => (
                <th key={letterOf(index)} scope="col" data-left={left(index)}>
                  <span className={classes["letter"]}>{letterOf(index)}</span> {title}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows?.map((row) => (
              <tr key={row.line}>
                <th scope="row" className={classes["line"]}>
                  {formatNumber(row.line)}
                </th>
                {draft.columns.map((_, index) => (
                  <Cell key={letterOf(index)} mapping={mapping} row={row} index={index} />
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {rows?.length === 0 ? <p className={classes["none"]}>{t("imports.noSuchRow")}</p> : null}
    </section>
  );
}

/** The mapping on narrow screens: each column with its title and the first value in it. */
export function MappingList(mapping: Mapping): ReactNode {
  const { t } = useTranslation();
  const { draft, rows } = mapping;
  return (
    <section className={classes["card"]} aria-label={t("imports.mapping")}>
      <OnlySome mapping={mapping} />
      <ul className="bc-plain-list">
        {draft.columns.map(({ title }, index) => {
          const row = rows?.find(({ cells }) => (cells[index] ?? "") !== "") ?? rows?.[0];
          return (
            <li key={letterOf(index)} className={classes["entry"]}>
              <p className={classes["entryTitle"]}>
                <span className={classes["letter"]}>{letterOf(index)}</span> {title}
              </p>
              {row === undefined ? null : (
                <div className={classes["sample"]}>
                  <Value mapping={mapping} row={row} index={index} />
                </div>
              )}
              <Target mapping={mapping} index={index} />
            </li>
          );
        })}
      </ul>
    </section>
  );
}

/** Says that the rows are those with one problem, and leads back to the first ones. */
function OnlySome({ mapping: { problem, onShowFirst } }: { mapping: Mapping }): ReactNode {
  const { t } = useTranslation();
  if (problem === null) return null;
  return (
    <p className={classes["only"]}>
      {t("imports.showOnly", { reason: t(`imports.problems.${problem}`) })}
      <button type="button" className={classes["first"]} onClick={onShowFirst}>
        {t("imports.showFirst")}
      </button>
    </p>
  );
}

type PlaceProps = { mapping: Mapping; index: number };

/** What a column is taken for. */
function Target({ mapping, index }: PlaceProps): ReactNode {
  const { t } = useTranslation();
  const { draft, settings, onColumn } = mapping;
  const chosen = settings.columns[index];
  const column = draft.columns[index];
  if (chosen === undefined || column === undefined) return null;
  const letter = letterOf(index);
  const { title, isRecognised } = column;
  const name =
    title === "" ? t("imports.untitled", { letter }) : t("imports.columnOf", { letter, title });
  const isTwice = columnsUsedTwice(settings.columns).has(index);
  // People on a list have neither.
  const offered = importTargets.filter(
    (target) => draft.contactListId === null || (target !== "tag" && target !== "extra"),
  );
  const isCertain = isRecognised && chosen.target !== "none";
  return (
    <div className={classes["target"]}>
      <NativeSelect
        aria-label={isCertain ? `${name}. ${t("imports.recognised")}` : name}
        value={chosen.target}
        data-left={chosen.target === "none" || undefined}
        leftSection={
          isCertain ? (
            <IconCheck size={15} stroke={2} className={classes["check"]} aria-hidden="true" />
          ) : null
        }
        error={isTwice ? t("imports.twice") : null}
        onChange={({ currentTarget }) => {
          const target = offered.find((known) => known === currentTarget.value);
          if (target) onColumn(index, { target, extraName: chosen.extraName || title || name });
        }}
        data={offered.map((target) => ({
          value: target,
          label:
            target === "extra" && chosen.target === "extra"
              ? t("imports.extraNamed", { name: chosen.extraName || title })
              : t(`imports.targets.${target}`),
        }))}
      />
      {chosen.target === "extra" ? (
        <TextInput
          aria-label={t("imports.extraName", { letter })}
          value={chosen.extraName}
          placeholder={title}
          maxLength={limits.nameMax}
          onChange={({ currentTarget }) => onColumn(index, { extraName: currentTarget.value })}
        />
      ) : null}
    </div>
  );
}

type CellProps = PlaceProps & { row: ImportRow };

function Cell({ mapping, row, index }: CellProps): ReactNode {
  const target = targetOf(mapping, index);
  return (
    <td
      data-left={mapping.settings.columns[index]?.target === "none" || undefined}
      data-bad={isWrong(target, row) || undefined}
    >
      <Value mapping={mapping} row={row} index={index} />
    </td>
  );
}

/** The target by which the server has read the row; null while another one is on its way to it. */
function targetOf({ draft, settings }: Mapping, index: number) {
  const read = draft.settings.columns[index]?.target;
  return settings.columns[index]?.target === read ? (read ?? null) : null;
}

type Read = ReturnType<typeof targetOf>;

function isWrong(target: Read, { problem }: ImportRow): boolean {
  if (problem === null) return false;
  return target === (problem === "badEmail" ? "email" : "number");
}

/** What a cell says, and for a number also what would be stored. */
function Value({ mapping, row, index }: CellProps): ReactNode {
  const { t } = useTranslation();
  const target = targetOf(mapping, index);
  const text = row.cells[index] ?? "";
  const written =
    text === "" ? <span className={classes["empty"]}>{t("contacts.empty")}</span> : text;
  const wrong = row.problem !== null && isWrong(target, row) ? row.problem : null;
  const isNumber = target === "number" && row.number !== null;
  if (wrong !== null || isNumber) {
    return (
      <span className={classes["both"]}>
        <span className={classes["written"]}>{written}</span>
        {wrong === null ? (
          <span>{formatPhone(row.number ?? "")}</span>
        ) : (
          <strong>{t(`imports.problems.${wrong}`)}</strong>
        )}
      </span>
    );
  }
  if (target !== "accepts" || !row.isOptedOut) return written;
  return (
    <span className={classes["out"]}>
      {text} <IconMessageOff size={15} stroke={1.7} aria-hidden="true" />
      <span className="bc-hidden-text">{t("imports.optedOut")}</span>
    </span>
  );
}
