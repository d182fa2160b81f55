import type { ConnectionHealth, InputOf } from "@balcao/contract";
import { pageSizes } from "@balcao/contract";
import type { UserCtx } from "../../platform/context.ts";
import { requirePermission } from "../../platform/context.ts";
import type { Database } from "../../platform/db/database.ts";
import { readPage, toIsoOrNull } from "../../platform/db/records.ts";

type HealthRow = Omit<ConnectionHealth, "company" | "connectedAt" | "disconnectedAt"> & {
  companyId: ConnectionHealth["company"]["id"];
  companyName: string;
  connectedAt: Date | null;
  disconnectedAt: Date | null;
  total: number;
};

/** Connections of all companies for super users: those that should be connected and are not come first. */
export async function listHealth(
  { db }: { db: Database },
  ctx: UserCtx,
  { searchParam, pageNumber }: InputOf<"GET /connections-health">["query"],
) {
  requirePermission(ctx, "connections:read-any");
  const pattern = searchParam === "" ? null : `%${escapePattern(searchParam)}%`;
  const size = pageSizes.connectionsHealth;
  const { rows, ...totals } = await readPage(pageNumber, size, (limit, offset) =>
    db.readAcrossCompanies<HealthRow>(healthStatement, [pattern, limit, offset]),
  );
  return { connections: rows.map(toHealth), ...totals };
}

/** For `ilike`: a typed text is no pattern. */
function escapePattern(text: string): string {
  return text.replaceAll(/[\\%_]/g, "\\$&");
}

function toHealth(row: HealthRow): ConnectionHealth {
  const { id, name, channel, status, closeReason, retries } = row;
  return {
    ...{ id, name, channel, status, closeReason, retries },
    connectedAt: status === "CONNECTED" ? toIsoOrNull(row.connectedAt) : null,
    disconnectedAt: toIsoOrNull(row.disconnectedAt),
    company: { id: row.companyId, name: row.companyName },
    outboundWaiting: row.outboundWaiting,
    outboundLagSeconds: row.outboundLagSeconds,
    inboundWaiting: row.inboundWaiting,
    inboundFailed: row.inboundFailed,
  };
}

/**
 * By hand: the page is cut before anything is counted, so that only its rows are counted, by indexes that hold only
 * what waits or failed.
 */
const healthStatement = {
  name: "connections.health-across-companies",
  text: `
with page as materialized (
  select w.id, w.name, w.channel, w.status, w.close_reason, w.retries, w.connected_at, w.disconnected_at,
    w.company_id, c.name as company_name, count(*) over ()::int as total,
    row_number() over (
      order by w.wanted and c.status and w.status <> 'CONNECTED' desc, w.status <> 'CONNECTED' desc,
        w.disconnected_at desc nulls last, w.id
    ) as place
  from connections w join companies c on c.id = w.company_id
  where w.deleted_at is null and ($1::text is null or w.name ilike $1 or c.name ilike $1)
  order by place limit $2 offset $3
)
select p.id, p.name, p.channel, p.status, p.close_reason as "closeReason", p.retries,
  p.connected_at as "connectedAt", p.disconnected_at as "disconnectedAt",
  p.company_id as "companyId", p.company_name as "companyName", p.total,
  coalesce(o.waiting, 0) as "outboundWaiting", o.lag as "outboundLagSeconds",
  i.waiting as "inboundWaiting", f.failed as "inboundFailed"
from page p
left join lateral (
  select count(*)::int as waiting,
    greatest(0, extract(epoch from now() - min(due_at)))::int as lag
  from outbound where connection_id = p.id and state in ('queued', 'sending') having count(*) > 0
) o on true
cross join lateral (
  select count(*)::int as waiting from inbound_journal where connection_id = p.id and failed_at is null
) i
cross join lateral (
  select count(*)::int as failed from inbound_journal where connection_id = p.id and failed_at is not null
) f
order by p.place`,
};
