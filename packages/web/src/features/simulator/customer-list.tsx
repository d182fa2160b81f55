import type { SimulatorChat } from "@balcao/contract";
import { limits } from "@balcao/contract/limits";
import { TextInput } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import {
  IconAlertTriangle,
  IconFlask,
  IconPlus,
  IconSearch,
  IconUsers,
  IconUsersPlus,
} from "@tabler/icons-react";
import type { ReactNode } from "react";
import { Suspense, useState } from "react";
import { formatMoment } from "../../i18n/format.ts";
import { useTranslation } from "../../i18n/index.ts";
import { Button } from "../../ui/button.tsx";
import {
  AppAvatar,
  EmptyState,
  errorText,
  IconButton,
  ListSkeleton,
  LoadFailed,
  notifyError,
} from "../../ui/index.ts";
import { lazyPart } from "../../ui/lazy-part.tsx";
import { plainText } from "../messages/index.ts";
import { formatPhone, useAddChat, useCustomers } from "./api.ts";
import classes from "./customer-list.module.css";

const NewChatDialog = lazyPart(
  async () => (await import("./simulator-dialogs.tsx")).NewChatDialog,
  "over",
);

const MOST_SHOWN = 99;

type Props = {
  connectionId: number;
  chosenPhone: string | null;
  onChoose: (customer: SimulatorChat) => void;
  /** Called with a new test customer. */
  onTest: (customer: SimulatorChat) => void;
};

/** The customers of the simulated network, latest first. */
export function CustomerList({ connectionId, chosenPhone, onChoose, onTest }: Props): ReactNode {
  const { t } = useTranslation();
  const [typed, setTyped] = useState("");
  const [adding, setAdding] = useState<"customer" | "group" | null>(null);
  const [settled] = useDebouncedValue(typed.trim().toLowerCase(), limits.searchDebounceMs);
  const { data, error, isPlaceholderData, refetch } = useCustomers(connectionId, settled);
  const isUnknown = data === undefined || (data.length === 0 && isPlaceholderData);

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
            onClick={() => setAdding("group")}
          />
          <Button
            size="xs"
            leftSection={<IconPlus size={15} stroke={1.7} aria-hidden="true" />}
            onClick={() => setAdding("customer")}
          >
            {t("simulator.newCustomer")}
          </Button>
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
          <ul className="bc-plain-list">
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
      <Suspense fallback={null}>
        {adding === null ? null : (
          <NewChatDialog
            kind={adding}
            connectionId={connectionId}
            onAdded={onChoose}
            onClose={() => setAdding(null)}
          />
        )}
      </Suspense>
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

type TestCustomerButtonProps = { connectionId: number; onAdded: (customer: SimulatorChat) => void };

/** Creates a test customer with a free number, to try the saved automation. */
function TestCustomerButton({ connectionId, onAdded }: TestCustomerButtonProps): ReactNode {
  const { t } = useTranslation();
  const add = useAddChat(connectionId);
  return (
    <Button
      variant="default"
      leftSection={<IconFlask size={15} stroke={1.7} aria-hidden="true" />}
      loading={add.isPending}
      onClick={() =>
        add.mutate(
          { name: t("simulator.testName", { name: madeUpName() }) },
          { onSuccess: onAdded, onError: (error) => notifyError(errorText(t, error)) },
        )
      }
    >
      {t("simulator.testCustomer")}
    </Button>
  );
}

const firstNames = [
  ...["Ana", "Bento", "Clara", "Davi", "Elisa", "Fábio", "Glória", "Heitor", "Iara", "Joana"],
  ...["Lucas", "Marta", "Noel", "Olga", "Pedro", "Rita", "Samuel", "Tereza", "Vera", "Yuri"],
] as const;

const lastNames = [
  ...["Alves", "Barros", "Campos", "Dias", "Esteves", "Freitas", "Gomes", "Lima", "Moraes"],
  ...["Nogueira", "Oliveira", "Pires", "Queiroz", "Ramos", "Santos", "Teles", "Vieira"],
] as const;

/** The name of a test customer. */
function madeUpName(): string {
  return `${oneOf(firstNames)} ${oneOf(lastNames)}`;
}

function oneOf(names: readonly string[]): string {
  const [number = 0] = crypto.getRandomValues(new Uint32Array(1));
  return names[number % names.length] ?? "";
}
