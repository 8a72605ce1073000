// What is said in VS Code's notifications, which know links, and links that run commands. Knows nothing of VS Code.

/** The text as it is: what quotes a kernel or a file of the workspace makes no link. */
export function asMessage(said: unknown): string {
  return (said instanceof Error ? said.message : String(said)).replaceAll("](", "] (");
}
