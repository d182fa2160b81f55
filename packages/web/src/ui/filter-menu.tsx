import { Menu } from "@mantine/core";
import { IconArrowLeft, IconChevronRight } from "@tabler/icons-react";
import type { ReactElement, ReactNode } from "react";
import { useEffect, useRef, useState } from "react";

/** One filter of a list. */
export type ListFilter = {
  id: string;
  title: string;
  /** The chosen values in words; null while the filter is off, "" for a filter without values. */
  value: string | null;
  /** Turns on a filter without values; null where values are chosen. */
  turnOn: (() => void) | null;
  /** The items of the menu in which values are chosen. */
  renderValues?: () => ReactNode;
  clear: () => void;
};

type Props = {
  /** One alone shows its values at once. */
  filters: readonly ListFilter[];
  /** Opens the menu. */
  target: ReactElement;
};

/** Chooses a filter of a list, and then its values. */
export function FilterMenu({ filters, target }: Props): ReactNode {
  const { part, setPart, list, onClose } = useMenuParts<string>();
  const [only] = filters.length === 1 ? filters : [];
  const shown = only ?? filters.find(({ id }) => id === part);

  return (
    <Menu position="bottom-start" width={248} closeOnItemClick={false} onClose={onClose}>
      <Menu.Target>{target}</Menu.Target>
      <Menu.Dropdown>
        <div ref={list}>
          {shown === undefined ? (
            filters.map((filter) => <Entry key={filter.id} filter={filter} onOpen={setPart} />)
          ) : (
            <>
              {only === undefined ? (
                <>
                  <Menu.Item
                    leftSection={<IconArrowLeft size={15} stroke={1.7} aria-hidden="true" />}
                    onClick={() => setPart(null)}
                  >
                    {shown.title}
                  </Menu.Item>
                  <Menu.Divider />
                </>
              ) : null}
              {shown.renderValues?.()}
            </>
          )}
        </div>
      </Menu.Dropdown>
    </Menu>
  );
}

/** A menu that leads from entries (`data-part`) to lists of its own: which of them it shows, and the focus that follows. */
export function useMenuParts<Part extends string>() {
  const [part, setPart] = useState<Part | null>(null);
  const list = useRef<HTMLDivElement>(null);
  const left = useRef<Part | null>(null);
  // The pressed entry is gone: the first one of the next list takes the focus, and on the way back the part that was left.
  useEffect(() => {
    const wanted = part ?? left.current;
    if (wanted === null) return;
    const entry = part === null ? `[data-part="${wanted}"]` : "input, [role^=menuitem]";
    list.current?.querySelector<HTMLElement>(entry)?.focus();
    left.current = part;
  }, [part]);
  const onClose = (): void => {
    left.current = null;
    setPart(null);
  };
  return { part, setPart, list, onClose };
}

function Entry(props: { filter: ListFilter; onOpen: (id: string) => void }): ReactNode {
  const { id, title, value, turnOn, clear } = props.filter;
  if (turnOn !== null) {
    return (
      <Menu.CheckboxItem checked={value !== null} onChange={(isOn) => (isOn ? turnOn() : clear())}>
        {title}
      </Menu.CheckboxItem>
    );
  }
  return (
    <Menu.Item
      data-part={id}
      rightSection={<IconChevronRight size={15} stroke={1.7} aria-hidden="true" />}
      onClick={() => props.onOpen(id)}
    >
      {title}
    </Menu.Item>
  );
}
