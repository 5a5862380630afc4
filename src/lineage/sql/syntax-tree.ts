/**
 * Accessors for the parser's syntax tree. The tree is plain data whose shape is defined by the parser, so every step
 * checks what it finds.
 */

export type SyntaxNode = { readonly [member: string]: unknown };

export const isSyntaxNode = (value: unknown): value is SyntaxNode =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Returns the node in a member, or at a path of members. */
export const nodeAt = (value: unknown, ...members: readonly string[]): SyntaxNode | undefined => {
  let here = value;
  for (const member of members) {
    if (!isSyntaxNode(here)) return undefined;
    here = here[member];
  }
  return isSyntaxNode(here) ? here : undefined;
};

export const nodeListAt = (value: unknown, ...members: readonly string[]): readonly unknown[] => {
  const last = members.at(-1);
  const holder = last === undefined ? undefined : nodeAt(value, ...members.slice(0, -1));
  const found = last === undefined ? value : holder?.[last];
  return Array.isArray(found) ? found : [];
};

/** Returns the variant name of an enum node and its content: `{Choice: held}`, or the bare word. */
export const choiceOf = (value: unknown): { readonly choice: string; readonly held: unknown } => {
  if (typeof value === 'string') return { choice: value, held: undefined };
  if (!isSyntaxNode(value)) return { choice: '', held: undefined };
  const [choice = ''] = Object.keys(value);
  return { choice, held: value[choice] };
};

/** Returns the line and column where an identifier or keyword begins. */
export const positionOf = (value: unknown): { readonly line: number; readonly column: number } | undefined => {
  const start = nodeAt(value, 'span', 'start');
  const [line, column] = [start?.['line'], start?.['column']];
  return typeof line === 'number' && typeof column === 'number' ? { line, column } : undefined;
};
