import type { Queue } from "@balcao/contract";
import { TextInput } from "@mantine/core";
import { useMediaQuery } from "@mantine/hooks";
import { limits } from "@balcao/contract/limits";
import { IconBan } from "@tabler/icons-react";
import type { KeyboardEvent, ReactNode, Ref } from "react";
import { useId, useRef } from "react";
import { useTranslation } from "../../i18n/index.ts";
import classes from "./color-field.module.css";
import type { PaletteColor } from "./queue-colors.ts";
import { colorSteps, isColor, normalColor, palette } from "./queue-colors.ts";

type Props = {
  value: string;
  error: string | undefined;
  /** Queues whose colours are taken. */
  others: readonly Queue[];
  inputRef: Ref<HTMLInputElement>;
  onChange: (color: string) => void;
};

const COLOR_CHARACTERS = 7;

/** A colour of the palette, or any other by its hex; what another queue has is marked. */
export function ColorField({ value, error, others, inputRef, onChange }: Props): ReactNode {
  const { t } = useTranslation();
  const chosen = isColor(value) ? normalColor(value) : "";
  return (
    <div className={classes["field"]}>
      <TextInput
        ref={inputRef}
        label={t("queues.color")}
        error={error}
        value={value}
        maxLength={COLOR_CHARACTERS}
        autoComplete="off"
        spellCheck={false}
        leftSection={
          <span
            className={classes["sample"]}
            style={chosen === "" ? undefined : { background: chosen }}
            aria-hidden="true"
          />
        }
        onChange={(event) => onChange(event.currentTarget.value)}
      />
      <Palette chosen={chosen} others={others} onChange={onChange} />
    </div>
  );
}

type PaletteProps = {
  chosen: string;
  others: readonly Queue[];
  onChange: (color: string) => void;
};

/** Radio buttons in a grid: the arrow keys go as they point. Wide, a hue is a column; narrow, it is a row. */
function Palette({ chosen, others, onChange }: PaletteProps): ReactNode {
  const { t } = useTranslation();
  const name = useId();
  const grid = useRef<HTMLDivElement>(null);
  const isNarrow = useMediaQuery(`(max-width: ${limits.drawerOverlayBelowPx - 1}px)`, false, {
    getInitialValueInEffect: false,
  });
  const takenBy = new Map(others.map((queue) => [normalColor(queue.color), queue.name]));

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

  function nameOf({ hue, step, hex }: PaletteColor): string {
    const color = t("queues.colorName", {
      hue: t(`queues.hues.${hue}`),
      step: t(`queues.steps.${step}`),
      hex,
    });
    const queue = takenBy.get(hex);
    return queue === undefined ? color : t("queues.colorTaken", { color, queue });
  }

  return (
    <div ref={grid} className={classes["grid"]} role="radiogroup" aria-label={t("queues.palette")}>
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

/** How many colours an arrow key goes on in the palette's order; null for other keys. */
function stepOf(key: string, isRowOfHue: boolean): number | null {
  const across = isRowOfHue ? 1 : colorSteps.length;
  const down = isRowOfHue ? colorSteps.length : 1;
  if (key === "ArrowRight") return across;
  if (key === "ArrowLeft") return -across;
  if (key === "ArrowDown") return down;
  return key === "ArrowUp" ? -down : null;
}
