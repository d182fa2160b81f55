/** What a test file must give back, last taken first. Run by the setup file after the last test. */
const actions: (() => Promise<void>)[] = [];

export function atEndOfFile(action: () => Promise<void>): void {
  actions.push(action);
}

export async function runEndOfFile(): Promise<void> {
  for (let action = actions.pop(); action; action = actions.pop()) await action();
}
