import type { MouseEvent, ReactNode } from "react";
import { useEffect, useEffectEvent, useRef, useState } from "react";
import { useTranslation } from "../../i18n/index.ts";
import type { Select } from "./record-table.tsx";
import classes from "./selection.module.css";

/** Rows by id, or all that the list finds but for some. */
export type Chosen = { ids: ReadonlySet<number> } | { except: ReadonlySet<number> };

const nothing: Chosen = { ids: new Set() };

const isEmpty = (chosen: Chosen): boolean => "ids" in chosen && chosen.ids.size === 0;

export type Selection<Row> = {
  chosen: Chosen;
  /** The number of selected rows; `total` is the number of rows of the list. */
  count: (total: number) => number;
  chooseAll: () => void;
  clear: () => void;
  select: Select<Row>;
};

type Options<Row> = {
  nameOf: (row: Row) => string;
  /** The words and filters of the list. Changing them clears the selection and calls `onEnd`. */
  of: string;
  onEnd: () => void;
};

/** The selection of rows of a list, over all its pages. */
export function useSelection<Row extends { id: number }>(options: Options<Row>): Selection<Row> {
  const { nameOf, of, onEnd } = options;
  const { t } = useTranslation();
  const [state, setState] = useState({ of, chosen: nothing, hasEnded: false });
  const { chosen, hasEnded } = state;
  if (state.of !== of) setState({ of, chosen: nothing, hasEnded: !isEmpty(chosen) });
  const setChosen = (next: Chosen): void => setState({ of, chosen: next, hasEnded: false });
  const last = useRef<number | null>(null);
  const tellEnd = useEffectEvent(onEnd);
  useEffect(() => {
    if (hasEnded) tellEnd();
  }, [hasEnded]);
  const has = (id: number): boolean =>
    "ids" in chosen ? chosen.ids.has(id) : !chosen.except.has(id);

  function change(ids: readonly number[], isOn: boolean): void {
    const isListed = "ids" in chosen ? isOn : !isOn;
    const listed = new Set("ids" in chosen ? chosen.ids : chosen.except);
    for (const id of ids) {
      if (isListed) listed.add(id);
      else listed.delete(id);
    }
    setChosen("ids" in chosen ? { ids: listed } : { except: listed });
  }

  /** With Shift also the rows between this one and the one pressed before. */
  function press(row: Row, rows: readonly Row[], { shiftKey }: MouseEvent): void {
    const ids = rows.map(({ id }) => id);
    const from = shiftKey && last.current !== null ? ids.indexOf(last.current) : -1;
    const to = ids.indexOf(row.id);
    const range = from < 0 ? [row.id] : ids.slice(Math.min(from, to), Math.max(from, to) + 1);
    last.current = row.id;
    change(range, !has(row.id));
  }

  return {
    chosen,
    count: (total) => ("ids" in chosen ? chosen.ids.size : total - chosen.except.size),
    chooseAll: () => setChosen({ except: new Set() }),
    clear: () => setChosen(nothing),
    select: {
      renderAll: (rows) => {
        const on = rows.filter(({ id }) => has(id)).length;
        const isAll = on === rows.length;
        return (
          <Box
            label={t("common.selection.loaded")}
            isOn={isAll}
            isSome={on > 0 && !isAll}
            onPress={() =>
              change(
                rows.map(({ id }) => id),
                !isAll,
              )
            }
          />
        );
      },
      renderRow: (row, rows) => (
        <Box
          label={t("common.selection.row", { name: nameOf(row) })}
          isOn={has(row.id)}
          isSome={false}
          onPress={(event) => press(row, rows, event)}
        />
      ),
    },
  };
}

type BoxProps = {
  label: string;
  isOn: boolean;
  /** Some of several. */
  isSome: boolean;
  onPress: (event: MouseEvent) => void;
};

function Box({ label, isOn, isSome, onPress }: BoxProps): ReactNode {
  return (
    <label className={classes["place"]}>
      <input
        type="checkbox"
        className={classes["box"]}
        aria-label={label}
        checked={isOn}
        readOnly
        ref={(box) => {
          if (box) box.indeterminate = isSome;
        }}
        onClick={onPress}
      />
    </label>
  );
}
