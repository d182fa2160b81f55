import "@mantine/core/styles/Checkbox.layer.css";
import "@mantine/core/styles/InlineInput.layer.css";
import { Checkbox } from "@mantine/core";
import type { ReactNode } from "react";
import { FieldGroup } from "./field-group.tsx";
import classes from "./queue-choice.module.css";
import { QueueDot } from "./marks.tsx";

type Props = {
  legend: string;
  help: string;
  /** Undefined while loading. */
  queues: readonly { id: number; name: string; color: string }[] | undefined;
  /** The chosen ids. */
  value: readonly number[];
  onChange: (next: number[]) => void;
};

/** A checkbox for each queue of the company. */
export function QueueChoice({ legend, help, queues, value, onChange }: Props): ReactNode {
  return (
    <FieldGroup legend={legend} help={help}>
      <div className={classes["queues"]}>
        {queues?.map(({ id, name, color }) => (
          <Checkbox
            key={id}
            classNames={{ body: classes["row"] ?? "", input: classes["box"] ?? "" }}
            checked={value.includes(id)}
            onChange={({ currentTarget: { checked } }) =>
              onChange(checked ? [...value, id] : value.filter((one) => one !== id))
            }
            label={
              <span className={classes["queue"]}>
                <QueueDot color={color} />
                {name}
              </span>
            }
          />
        ))}
      </div>
    </FieldGroup>
  );
}
