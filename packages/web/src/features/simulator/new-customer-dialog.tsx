import "@mantine/core/styles/ModalBase.layer.css";
import "@mantine/core/styles/Modal.layer.css";
import "@mantine/core/styles/Overlay.layer.css";
import type { SimulatorChat } from "@balcao/contract";
import { limits } from "@balcao/contract/limits";
import { Button, Modal, TextInput } from "@mantine/core";
import { useMediaQuery, useMounted } from "@mantine/hooks";
import type { ReactNode } from "react";
import { useForm } from "react-hook-form";
import { useTranslation } from "../../i18n/index.ts";
import { errorText } from "../../ui/index.ts";
import { useAddCustomer } from "./api.ts";
import classes from "./cards.module.css";
import dialog from "./new-customer-dialog.module.css";
import { parsePhone } from "./phone-number.ts";

type Props = {
  connectionId: number;
  opened: boolean;
  onClose: () => void;
  onAdded: (customer: SimulatorChat) => void;
};

/** Adds a customer; without a phone the simulated network chooses a free one. */
export function NewCustomerDialog({ connectionId, opened, onClose, onAdded }: Props): ReactNode {
  const { t } = useTranslation();
  const isNarrow = useMediaQuery("(max-width: 599px)");
  // It is fetched when it is first wanted; a dialog that was never closed before gives no focus back to its opener.
  const isMounted = useMounted();
  return (
    <Modal
      opened={isMounted && opened}
      onClose={onClose}
      title={t("simulator.newCustomer")}
      size={480}
      centered
      fullScreen={isNarrow}
      closeButtonProps={{ "aria-label": t("common.close") }}
    >
      <NewCustomerForm connectionId={connectionId} onClose={onClose} onAdded={onAdded} />
    </Modal>
  );
}

function NewCustomerForm({ connectionId, onClose, onAdded }: Omit<Props, "opened">): ReactNode {
  const { t } = useTranslation();
  const add = useAddCustomer(connectionId);
  const { register, handleSubmit, formState } = useForm({ defaultValues: { name: "", phone: "" } });
  const { errors } = formState;

  function submit({ name, phone }: { name: string; phone: string }): void {
    const digits = parsePhone(phone);
    const customer = { name: name.trim(), ...(digits === null ? {} : { phone: digits }) };
    add.mutate(customer, {
      onSuccess: (added) => {
        onAdded(added);
        onClose();
      },
    });
  }

  return (
    <form
      noValidate
      className={dialog["form"]}
      onSubmit={(event) => void handleSubmit(submit)(event)}
    >
      <TextInput
        {...register("name", {
          validate: (value) => value.trim() !== "" || t("simulator.nameRequired"),
        })}
        label={t("simulator.name")}
        error={errors.name?.message}
        maxLength={limits.nameMax}
        autoComplete="off"
        data-autofocus
      />
      <TextInput
        {...register("phone", {
          validate: (value) =>
            value.trim() === "" || parsePhone(value) !== null || t("simulator.phoneInvalid"),
        })}
        type="tel"
        label={t("simulator.phone")}
        description={errors.phone ? undefined : t("simulator.phoneHelp")}
        inputWrapperOrder={["label", "input", "description", "error"]}
        error={errors.phone?.message}
        placeholder="+55 11 98456-2210"
        autoComplete="off"
      />
      {add.error === null ? null : (
        <p className={classes["failure"]} role="alert">
          {errorText(t, add.error)}
        </p>
      )}
      <div className={dialog["actions"]}>
        <Button variant="default" onClick={onClose}>
          {t("common.cancel")}
        </Button>
        <Button type="submit" loading={add.isPending}>
          {t("simulator.create")}
        </Button>
      </div>
    </form>
  );
}
