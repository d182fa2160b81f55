import type { useSession } from "../auth/index.ts";

// A file of its own: the first files of the product need it, and so does what is loaded after them.

/** Where this device remembers that a company's first steps are not shown: `hidden` by the user, or `done`. */
export const memoryOf = (companyId: number): string => `balcao.steps.${companyId}`;

/** Whether there may be steps to show. What is done is asked afterwards, and of a company that is done never again. */
export const mayHaveSteps = ({ can, user }: ReturnType<typeof useSession>): boolean =>
  can("companies:manage") && !localStorage.getItem(memoryOf(user.companyId));
