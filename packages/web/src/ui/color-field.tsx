import { limits } from "@balcao/contract/limits";
import { TextInput } from "@mantine/core";
import { useMediaQuery } from "@mantine/hooks";
import { IconBan } from "@tabler/icons-react";
import type { KeyboardEvent, ReactNode } from "react";
import { useId, useRef, useState } from "react";
import type { Control, FieldPathByValue, FieldValues } from "react-hook-form";
import { useController } from "react-hook-form";
import { useTranslation } from "../i18n/index.ts";
import classes from "./color-field.module.css";

/** Ten hues in five steps from light to dark: the palette of queues (spec 9). */
const hues = {
  red: ["#ffaba3", "#fd736d", "#da534f", "#b63132", "#940015"],
  orange: ["#fdb081", "#ed8641", "#ca6719", "#a14f09", "#783905"],
  yellow: ["#eabe4a", "#c99e1e", "#a58108", "#826404", "#604a02"],
  lime: ["#b4d35c", "#95b338", "#789301", "#5d7303", "#445503"],
  green: ["#77de96", "#56bd78", "#329d5a", "#067e3f", "#015d2d"],
  teal: ["#6fd9d0", "#4cb9b0", "#229991", "#027972", "#0a5954"],
  blue: ["#95cafc", "#55abf7", "#328bd6", "#006cb4", "#055085"],
  purple: ["#c8b7ff", "#ad8dfd", "#8f6edb", "#7250ba", "#563199"],
  pink: ["#ffa3cf", "#f072b3", "#cd5394", "#ab3276", "#8a085a"],
  grey: ["#c0c6c2", "#a0a6a3", "#828884", "#656a67", "#494e4b"],
} as const;
const steps = ["lightest", "light", "middle", "dark", "darkest"] as const;

/** The palette in its order: hue by hue, each from light to dark. */
export const palette = (Object.keys(hues) as (keyof typeof hues)[]) // the table's own keys
  .flatMap((hue) => steps.map((step, index) => ({ hue, step, hex: hues[hue][index] ?? "" })));

const COLOR = /^#([\da-f]{3}|[\da-f]{6})$/i;

export function isColor(text: string): boolean {
  return COLOR.test(text.trim());
}

/** Normalizes a hex colour: `#ABC` becomes `#aabbcc`. */
export function normalColor(text: string): string {
  const color = text.trim().toLowerCase();
  return /^#[\da-f]{3,4}$/.test(color) ? color.replaceAll(/[\da-f]/g, "$&$&") : color;
}

/** The first middle tone that no queue uses, or any if all are used. */
export function freeColor(taken: readonly string[]): string {
  const used = new Set(taken.map(normalColor));
  const middles = palette.filter(({ step }) => step === "middle");
  const free = [...middles, ...palette].find(({ hex }) => !used.has(hex));
  return (free ?? middles[0])?.hex ?? "";
}

type Others = readonly { name: string; color: string }[];

type Props<Values extends FieldValues> = {
  control: Control<Values>;
  name: FieldPathByValue<Values, string>;
  readOnly?: boolean;
  /** Records whose colours are taken. */
  others?: Others;
  /** The error for a colour that another record uses. */
  takenText?: (name: string) => string;
};

const COLOR_CHARACTERS = 7;

/** A colour from the palette, as hex, or from the browser's own dialog. Colours of other records are marked. */
export function ColorField<Values extends FieldValues>(props: Props<Values>): ReactNode {
  const { control, name, readOnly = false, others = [], takenText } = props;
  const { t } = useTranslation();
  const { field, fieldState } = useController({ control, name, rules: { validate: check } });
  const { ref, onChange, onBlur } = field;
  const value: string = field.value;
  // Other clients store colours that this field does not offer, such as names: they may stay.
  const [stored] = useState(value);
  const chosen = isColor(value) ? normalColor(value) : "";

  function check(color: string): string | true {
    return color === stored || isColor(color) ? (takenError(color) ?? true) : t("color.wrong");
  }

  function takenError(color: string): string | undefined {
    const holder = others.find((other) => normalColor(other.color) === normalColor(color));
    return holder && takenText?.(holder.name);
  }

  return (
    <div className={classes["field"]}>
      <TextInput
        ref={ref}
        label={t("color.label")}
        // A taken colour shows its error as soon as it is chosen.
        error={takenError(value) ?? fieldState.error?.message}
        value={value}
        maxLength={COLOR_CHARACTERS}
        autoComplete="off"
        spellCheck={false}
        readOnly={readOnly}
        leftSection={
          <input
            type="color"
            className={classes["sample"]}
            value={chosen === "" ? "#ffffff" : chosen}
            aria-label={t("color.other")}
            title={t("color.other")}
            disabled={readOnly}
            onChange={onChange}
          />
        }
        onChange={onChange}
        onBlur={onBlur}
      />
      {readOnly ? null : <Palette chosen={chosen} others={others} onChange={onChange} />}
    </div>
  );
}

type PaletteProps = { chosen: string; others: Others; onChange: (color: string) => void };

/**
 * Radio buttons in a grid, with arrow keys in both directions. A hue is a column on wide screens, a row on narrow ones.
 */
function Palette({ chosen, others, onChange }: PaletteProps): ReactNode {
  const { t } = useTranslation();
  const name = useId();
  const grid = useRef<HTMLDivElement>(null);
  const isNarrow = useMediaQuery(`(max-width: ${limits.drawerOverlayBelowPx - 1}px)`, false, {
    getInitialValueInEffect: false,
  });
  const takenBy = new Map(others.map((other) => [normalColor(other.color), other.name]));

  function onKeyDown(event: KeyboardEvent<HTMLInputElement>, index: number): void {
    const step = stepOf(event.key, isNarrow);
    if (step === null) return;
    event.preventDefault();
    const next = palette[index + step];
    if (!next) return;
    onChange(next.hex);
    grid.current
      ?.querySelectorAll("input")
      .item(index + step)
      .focus();
  }

  function nameOf({ hue, step, hex }: (typeof palette)[number]): string {
    const color = t("color.name", {
      hue: t(`color.hues.${hue}`),
      step: t(`color.steps.${step}`),
      hex,
    });
    const queue = takenBy.get(hex);
    return queue === undefined ? color : t("color.taken", { color, queue });
  }

  return (
    <div ref={grid} className={classes["grid"]} role="radiogroup" aria-label={t("color.palette")}>
      {palette.map((color, index) => (
        <label key={color.hex} className={classes["swatch"]} title={nameOf(color)}>
          <input
            type="radio"
            className={classes["radio"]}
            name={name}
            value={color.hex}
            checked={color.hex === chosen}
            aria-label={nameOf(color)}
            onChange={() => onChange(color.hex)}
            onKeyDown={(event) => onKeyDown(event, index)}
          />
          <span className={classes["ground"]} style={{ background: color.hex }} />
          {takenBy.has(color.hex) ? (
            <span className={classes["taken"]}>
              <IconBan size={12} stroke={2} aria-hidden="true" />
            </span>
          ) : null}
        </label>
      ))}
    </div>
  );
}

/** The step of an arrow key in the palette's order; null for other keys. */
function stepOf(key: string, isRowOfHue: boolean): number | null {
  const across = isRowOfHue ? 1 : steps.length;
  const down = isRowOfHue ? steps.length : 1;
  if (key === "ArrowRight") return across;
  if (key === "ArrowLeft") return -across;
  if (key === "ArrowDown") return down;
  return key === "ArrowUp" ? -down : null;
}
