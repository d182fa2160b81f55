import { Menu } from "@mantine/core";
import { IconAdjustmentsHorizontal } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { useTranslation } from "../../i18n/index.ts";
import { IconButton, QueueDot } from "../../ui/index.ts";
import { useChoosableQueues } from "./api.ts";
import classes from "./queue-filter.module.css";
import type { Viewer } from "./ticket-view.ts";

type Props = {
  viewer: Viewer;
  /** Null: all. */
  selected: readonly number[] | null;
  onSelect: (queueIds: readonly number[] | null) => void;
};

/** Chooses the queues whose tickets are listed. Not there for who has only one. */
export function QueueFilter({ viewer, selected, onSelect }: Props): ReactNode {
  const { t } = useTranslation();
  const queues = useChoosableQueues(viewer) ?? [];
  if (queues.length < 2) return null;

  function toggle(queueId: number): void {
    const before = selected ?? [];
    const next = before.includes(queueId)
      ? before.filter((id) => id !== queueId)
      : [...before, queueId];
    onSelect(next.length === 0 || next.length === queues.length ? null : next);
  }

  return (
    <Menu position="bottom-end" width={230}>
      <Menu.Target>
        <IconButton
          label={t("tickets.queues")}
          icon={IconAdjustmentsHorizontal}
          isActive={selected !== null}
        />
      </Menu.Target>
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
