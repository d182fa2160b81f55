/** A test file's clean-up actions, run by the setup file after the last test, the newest first. */
const actions: (() => Promise<void>)[] = [];

export function atEndOfFile(action: () => Promise<void>): void {
  actions.push(action);
}

export async function runEndOfFile(): Promise<void> {
  for (let action = actions.pop(); action; action = actions.pop()) await action();
}
