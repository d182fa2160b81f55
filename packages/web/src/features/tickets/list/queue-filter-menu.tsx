import type { Queue } from "@balcao/contract";
import { Menu } from "@mantine/core";
import type { ReactElement, ReactNode } from "react";
import { useTranslation } from "../../../i18n/index.ts";
import { QueueDot } from "../../../ui/index.ts";
import classes from "./list.module.css";

type Props = {
  /** The button that opens the menu. */
  target: ReactElement;
  queues: readonly Pick<Queue, "id" | "name" | "color">[];
  /** Null: all. */
  selected: readonly number[] | null;
  onSelect: (queueIds: readonly number[] | null) => void;
};

/** Chooses the queues whose tickets are listed. */
export function QueueFilterMenu({ target, queues, selected, onSelect }: Props): ReactNode {
  const { t } = useTranslation();

  function toggle(queueId: number): void {
    const before = selected ?? [];
    const next = before.includes(queueId)
      ? before.filter((id) => id !== queueId)
      : [...before, queueId];
    onSelect(next.length === 0 || next.length === queues.length ? null : next);
  }

  return (
    <Menu position="bottom-end" width={230}>
      <Menu.Target>{target}</Menu.Target>
      <Menu.Dropdown>
        <Menu.CheckboxItem
          checked={selected === null}
          closeMenuOnClick
          onChange={() => onSelect(null)}
        >
          {t("tickets.allQueues")}
        </Menu.CheckboxItem>
        <Menu.Divider />
        {queues.map((queue) => (
          <Menu.CheckboxItem
            key={queue.id}
            checked={selected?.includes(queue.id) ?? false}
            onChange={() => toggle(queue.id)}
          >
            <span className={classes["queue"]}>
              <QueueDot color={queue.color} />
              {queue.name}
            </span>
          </Menu.CheckboxItem>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
