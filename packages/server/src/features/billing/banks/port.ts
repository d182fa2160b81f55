import type { AsaasAccess, BankKind, EfiAccess } from "@balcao/contract";

/** The receiver of the money, as a bank shows it to the payer, with the credentials of the banks that have some. */
export type Receiver = {
  receiver: string;
  city: string;
  pixKey: string;
  efi: EfiAccess | null;
  asaas: AsaasAccess | null;
};

/** A charge as a bank is asked for it. */
export type Wish = { txid: string; valueCents: number; detail: string; now: Date };

/** The bank's answer: what the QR code says, and until when it can be paid; null without an end. */
export type Made = { code: string; expiresAt: Date | null; bankId?: string };

/** Money that came in for a charge. */
export type Arrived = { transferId: string; valueCents: number; receivedAt: Date };

/**
 * A bank at which companies pay the provider. Every call has a time limit and throws ERR_BANK_AWAY when the bank does not
 * answer, ERR_BANK_REFUSED with its words when it does not want to, and ERR_PIX_KEY_MISSING or ERR_BANK_ACCESS_MISSING when the
 * settings do not say where the money goes.
 */
export type Bank = {
  /** Asking twice for one txid makes no second charge that the product knows of: what was cut off is asked for again. */
  createCharge(receiver: Receiver, wish: Wish): Promise<Made>;
  /** Reads the transfers that came in for a charge; absent where a person confirms them. */
  arrivedFor?(
    receiver: Receiver,
    charge: { txid: string; bankId: string | null; now: Date },
  ): Promise<Arrived[]>;
  /** Whether the bank takes the credentials; with `notifyUrl`, it is told where to send notifications. */
  check?(receiver: Receiver, notifyUrl: string | null): Promise<void>;
};

export type Banks = Record<BankKind, Bank>;

/** Seconds in which a PIX can be paid. */
export const CHARGE_SECONDS = 3_600;
