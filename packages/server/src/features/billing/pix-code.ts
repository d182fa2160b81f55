/** The contents of a static PIX code: the receiver's key, the value, and our id of the charge. */
export type PixFields = {
  key: string;
  receiver: string;
  city: string;
  valueCents: number;
  txid: string;
};

/** A field of the BR code: its id, its length, and its value. */
const field = (id: string, value: string): string =>
  id + String(value.length).padStart(2, "0") + value;

/**
 * The text of a PIX QR code ("copia e cola") as the central bank's BR code describes it. Banks want names in capitals without
 * accents; receiver, city and txid are cut to 25, 15 and 25 characters.
 */
export function pixCode({ key, receiver, city, valueCents, txid }: PixFields): string {
  const payload = [
    field("00", "01"),
    field("26", field("00", "br.gov.bcb.pix") + field("01", key)),
    field("52", "0000"),
    field("53", "986"),
    field("54", (valueCents / 100).toFixed(2)),
    field("58", "BR"),
    field("59", plain(receiver, 25)),
    field("60", plain(city, 15)),
    field("62", field("05", txid.replace(/[^A-Za-z0-9]/g, "").slice(0, 25))),
  ].join("");
  return `${payload}6304${crc16(`${payload}6304`)}`;
}

function plain(text: string, max: number): string {
  const letters = text
    .normalize("NFD")
    .replace(/[^\x20-\x7e]/g, "")
    .toUpperCase()
    .trim();
  return letters.slice(0, max) || "N";
}

/** CRC-16/CCITT-FALSE as four capital hex digits. */
export function crc16(text: string): string {
  let crc = 0xff_ff;
  for (const byte of Buffer.from(text, "utf8")) {
    crc ^= byte << 8;
    for (let bit = 0; bit < 8; bit += 1) {
      crc = (crc & 0x80_00) === 0 ? crc << 1 : (crc << 1) ^ 0x10_21;
      crc &= 0xff_ff;
    }
  }
  return crc.toString(16).toUpperCase().padStart(4, "0");
}
