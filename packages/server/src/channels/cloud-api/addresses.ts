import type { Address } from "../port.ts";

const PHONE = /^\d{5,20}$/;
/** A business-scoped user id: the country's letters, a dot, letters and digits (`US.1349…`). */
const BSUID = /^[A-Z]{2}(\.[A-Za-z0-9]+)+$/;

/** The addresses that these values are, each once; a phone number comes first. Meta puts user ids into either field. */
export function addressesOf(...values: readonly (string | undefined)[]): Address[] {
  const given = new Set(values.filter((value) => value !== undefined));
  const pn = [...given].filter((value) => PHONE.test(value));
  const bsuid = [...given].filter((value) => BSUID.test(value));
  return [
    ...pn.map((value): Address => ({ kind: "pn", value })),
    ...bsuid.map((value): Address => ({ kind: "bsuid", value })),
  ];
}
