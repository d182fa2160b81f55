import type { SimulatorChat } from "@balcao/contract";
import { limits } from "@balcao/contract/limits";
import { Button, TextInput } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import {
  IconAlertTriangle,
  IconPlus,
  IconSearch,
  IconUsers,
  IconUsersPlus,
} from "@tabler/icons-react";
import type { ReactNode } from "react";
import { Suspense, useState } from "react";
import { formatMoment } from "../../i18n/format.ts";
import { useTranslation } from "../../i18n/index.ts";
import { AppAvatar, EmptyState, IconButton, ListSkeleton, LoadFailed } from "../../ui/index.ts";
import { plainText } from "../messages/index.ts";
import { useCustomers } from "./api.ts";
import classes from "./customer-list.module.css";
import { formatPhone } from "./phone-number.ts";
import { TestCustomerButton } from "./test-customer-button.tsx";
import { lazyPart } from "../../ui/lazy-part.tsx";

const NewCustomerDialog = lazyPart(
  async () => (await import("./new-customer-dialog.tsx")).NewCustomerDialog,
  "over",
);

const NewGroupDialog = lazyPart(
  async () => (await import("./new-group-dialog.tsx")).NewGroupDialog,
  "over",
);

const MOST_SHOWN = 99;

type Props = {
  connectionId: number;
  chosenPhone: string | null;
  onChoose: (customer: SimulatorChat) => void;
  /** A throw-away customer is there and wants to write. */
  onTest: (customer: SimulatorChat) => void;
};

/** Everybody one can be: the customers of the simulated network, latest first. */
export function CustomerList({ connectionId, chosenPhone, onChoose, onTest }: Props): ReactNode {
  const { t } = useTranslation();
  const [typed, setTyped] = useState("");
  const [isAdding, setAdding] = useState(false);
  const [wasAdding, setWasAdding] = useState(false);
  const [isGrouping, setGrouping] = useState(false);
  const [settled] = useDebouncedValue(typed.trim().toLowerCase(), limits.searchDebounceMs);
  const { data, error, isPlaceholderData, refetch } = useCustomers(connectionId, settled);
  const isUnknown = data === undefined || (data.length === 0 && isPlaceholderData);

  const add = (
    <Button
      size="xs"
      leftSection={<IconPlus size={15} stroke={1.7} aria-hidden="true" />}
      onClick={() => {
        setWasAdding(true);
        setAdding(true);
      }}
    >
      {t("simulator.newCustomer")}
    </Button>
  );
  return (
    <section className={classes["pane"]} aria-labelledby="simulator-customers">
      <header className={classes["head"]}>
        <div className={classes["row"]}>
          <h2 id="simulator-customers" className={classes["title"]}>
            {t("simulator.customers")}
            {data ? <span className={classes["count"]}>{data.length}</span> : null}
          </h2>
          <IconButton
            label={t("simulator.newGroup")}
            icon={IconUsersPlus}
            size="small"
            onClick={() => setGrouping(true)}
          />
          {add}
        </div>
        <TestCustomerButton connectionId={connectionId} onAdded={onTest} />
        <TextInput
          type="search"
          value={typed}
          onChange={(event) => setTyped(event.currentTarget.value)}
          aria-label={t("simulator.searchCustomers")}
          placeholder={t("simulator.searchCustomers")}
          leftSection={<IconSearch size={15} stroke={1.7} aria-hidden="true" />}
          maxLength={100}
        />
      </header>
      <div className={classes["scroll"]}>
        {isUnknown && !error ? <ListSkeleton rows={5} /> : null}
        {error && !data ? (
          <LoadFailed icon={IconAlertTriangle} error={error} onRetry={() => void refetch()} />
        ) : null}
        {data?.length === 0 && !isPlaceholderData ? (
          <NoCustomers search={settled} onClear={() => setTyped("")} />
        ) : (
          <ul className={classes["list"]}>
            {data?.map((customer) => (
              <li key={customer.phone}>
                <CustomerRow
                  customer={customer}
                  isChosen={customer.phone === chosenPhone}
                  onChoose={onChoose}
                />
              </li>
            ))}
          </ul>
        )}
      </div>
      {isGrouping ? (
        <Suspense fallback={null}>
          <NewGroupDialog
            connectionId={connectionId}
            onAdded={onChoose}
            onClose={() => setGrouping(false)}
          />
        </Suspense>
      ) : null}
      {wasAdding ? (
        <Suspense fallback={null}>
          <NewCustomerDialog
            connectionId={connectionId}
            opened={isAdding}
            onClose={() => setAdding(false)}
            onAdded={onChoose}
          />
        </Suspense>
      ) : null}
    </section>
  );
}

function NoCustomers({ search, onClear }: { search: string; onClear: () => void }): ReactNode {
  const { t } = useTranslation();
  if (search === "") {
    return (
      <EmptyState
        icon={IconUsers}
        title={t("simulator.noCustomersTitle")}
        text={t("simulator.noCustomersText")}
      />
    );
  }
  return (
    <EmptyState
      icon={IconSearch}
      title={t("simulator.noMatchTitle", { search })}
      action={
        <Button variant="default" onClick={onClear}>
          {t("common.clearSearch")}
        </Button>
      }
    />
  );
}

type RowProps = {
  customer: SimulatorChat;
  isChosen: boolean;
  onChoose: (customer: SimulatorChat) => void;
};

function CustomerRow({ customer, isChosen, onChoose }: RowProps): ReactNode {
  const { t } = useTranslation();
  const { name, phone, lastMessage, lastMessageAt, unread } = customer;
  return (
    <button
      type="button"
      className={classes["customer"]}
      aria-current={isChosen}
      data-unread={unread > 0 || undefined}
      onClick={() => onChoose(customer)}
    >
      <AppAvatar name={name} id={phone} size={38} />
      <span className={classes["words"]}>
        <span className={classes["name"]}>{name}</span>
        <span className={classes["last"]}>
          {lastMessage === "" ? formatPhone(phone) : plainText(lastMessage)}
        </span>
      </span>
      <span className={classes["facts"]}>
        <span className={classes["time"]}>
          {lastMessageAt === null ? "" : formatMoment(lastMessageAt)}
        </span>
        {unread > 0 ? (
          <span className={classes["badge"]}>
            <span aria-hidden="true">{unread > MOST_SHOWN ? `${MOST_SHOWN}+` : unread}</span>
            <span className="bc-hidden-text">{t("simulator.unread", { count: unread })}</span>
          </span>
        ) : null}
      </span>
    </button>
  );
}
