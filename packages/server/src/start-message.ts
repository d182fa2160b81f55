import type { FirstStartReport } from "./features/provisioning/index.ts";

const roleNames = { super: "super user", admin: "admin", agent: "agent" } as const;

/** What the terminal shows when accounts were made: their passwords, this once. */
export function describeAccounts(report: FirstStartReport): string[] {
  const lines = ["", "Accounts made at this first start. The passwords are shown only now:", ""];
  for (const account of report.accounts) {
    const password = account.password ?? "(as given in BALCAO_ADMIN_PASSWORD)";
    const who = `${account.name}, ${roleNames[account.role]} of ${account.company}`;
    lines.push(`  ${account.email.padEnd(34)} ${password.padEnd(20)} ${who}`);
  }
  return [...lines, ""];
}

/** What the terminal shows once the product serves. */
export function describeStart(address: string | null): string {
  if (address === null) return "Balcão is running (no web server in this process).";
  return `Balcão is running on ${address}`;
}
