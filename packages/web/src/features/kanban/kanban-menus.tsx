import { Menu } from "@mantine/core";
import { IconArrowLeft, IconArrowRight, IconPencil } from "@tabler/icons-react";
import type { ReactElement, ReactNode } from "react";
import { useTranslation } from "../../i18n/index.ts";
import { QueueDot } from "../../ui/index.ts";

type LaneRef = { id: number | null; name: string; color: string };

type MoveProps = {
  lanes: readonly LaneRef[];
  /** The lane in which the card stands. */
  laneId: number | null;
  /** Opens the menu. */
  target: ReactElement;
  onMove: (to: number | null) => void;
};

/** Moves a card without dragging it. */
export function MoveMenu({ lanes, laneId, target, onMove }: MoveProps): ReactNode {
  const { t } = useTranslation();
  return (
    <Menu position="bottom-end" width={240}>
      <Menu.Target>{target}</Menu.Target>
      <Menu.Dropdown mah={360} style={{ overflowY: "auto" }}>
        <Menu.Label>{t("kanban.moveTo")}</Menu.Label>
        <Menu.RadioGroup
          value={String(laneId ?? 0)}
          onChange={(value) => onMove(value === "0" ? null : Number(value))}
        >
          {lanes.map(({ id, name, color }) => (
            <Menu.RadioItem key={id ?? 0} value={String(id ?? 0)} closeMenuOnClick>
              <QueueDot color={id === null ? "var(--bc-ink3)" : color} />{" "}
              {id === null ? t("kanban.open") : name}
            </Menu.RadioItem>
          ))}
        </Menu.RadioGroup>
      </Menu.Dropdown>
    </Menu>
  );
}

type LaneProps = {
  target: ReactElement;
  /** Null at the edge. */
  onLeft: (() => void) | null;
  onRight: (() => void) | null;
  /** Null for those who may not edit tags. */
  onEdit: (() => void) | null;
};

/** The menu of a lane. */
export function LaneMenu({ target, onLeft, onRight, onEdit }: LaneProps): ReactNode {
  const { t } = useTranslation();
  const icon = { size: 15, stroke: 1.7, "aria-hidden": true } as const;
  return (
    <Menu position="bottom-end" width={220}>
      <Menu.Target>{target}</Menu.Target>
      <Menu.Dropdown>
        <Menu.Item
          leftSection={<IconArrowLeft {...icon} />}
          disabled={onLeft === null}
          onClick={() => onLeft?.()}
        >
          {t("kanban.toLeft")}
        </Menu.Item>
        <Menu.Item
          leftSection={<IconArrowRight {...icon} />}
          disabled={onRight === null}
          onClick={() => onRight?.()}
        >
          {t("kanban.toRight")}
        </Menu.Item>
        {onEdit === null ? null : (
          <Menu.Item leftSection={<IconPencil {...icon} />} onClick={onEdit}>
            {t("kanban.editTag")}
          </Menu.Item>
        )}
      </Menu.Dropdown>
    </Menu>
  );
}
