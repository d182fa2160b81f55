import type { CompanyId, SettingKey } from "@balcao/contract";
import { sql } from "drizzle-orm";
import type { PreparedStatement, Tx } from "../../platform/db/database.ts";
import type { StoredSettings } from "./values.ts";

const storedStatement: PreparedStatement = {
  name: "settings",
  text: "select key, value from settings where company_id = $1",
};

export async function readStored(tx: Tx, companyId: CompanyId): Promise<StoredSettings> {
  const rows = await tx.query<{ key: string; value: string }>(storedStatement, [companyId]);
  return new Map(rows.map(({ key, value }) => [key, value]));
}

export async function writeSetting(
  tx: Tx,
  companyId: CompanyId,
  key: SettingKey,
  value: string,
): Promise<void> {
  await tx.query(sql`
    insert into settings (company_id, key, value) values (${companyId}, ${key}, ${value})
    on conflict (company_id, key) do update set value = excluded.value, updated_at = now()`);
}
