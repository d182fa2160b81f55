import type { FirstStartReport } from "./features/provisioning/index.ts";

const roleNames = { super: "super user", admin: "admin", agent: "agent" } as const;

/** What the terminal shows once the product serves; passwords only at the first start. */
export function describeStart(address: string | null, report: FirstStartReport | null): string[] {
  const lines: string[] = [];
  if (report) {
    lines.push("", "Accounts made at this first start. The passwords are shown only now:", "");
    for (const account of report.accounts) {
      const password = account.password ?? "(as given in BALCAO_ADMIN_PASSWORD)";
      const who = `${account.name}, ${roleNames[account.role]} of ${account.company}`;
      lines.push(`  ${account.email.padEnd(34)} ${password.padEnd(20)} ${who}`);
    }
    lines.push("");
  }
  lines.push(
    address === null
      ? "Balcão is running (no web server in this process)."
      : `Balcão is running on ${address}`,
  );
  return lines;
}
