/** How a value of an answer is shown and saved. */

export type AnsweredNode = {
  readonly label: string;
  readonly fullyQualifiedName: string;
  readonly entityType?: string;
};

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const isAnsweredNode = (value: unknown): value is AnsweredNode =>
  isObject(value) && typeof value['label'] === 'string' && typeof value['fullyQualifiedName'] === 'string';

/** The text of a value: the full name of a node, and JSON of whatever is not plain. */
export const textOfCell = (value: unknown): string => {
  if (value === null || value === undefined) return '';
  if (isAnsweredNode(value)) return value.fullyQualifiedName;
  if (Array.isArray(value)) return value.map(textOfCell).join(', ');
  return isObject(value) ? JSON.stringify(value) : String(value);
};

const quoteCell = (text: string): string => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

/** Programs that open a table take some texts for formulas; a quote before them keeps them texts. */
const disarm = (text: string): string => (/^[=+\-@\t\r]/.test(text) && Number.isNaN(Number(text)) ? `'${text}` : text);

/** The rows of an answer as CSV. */
export const writeAnswerCsv = (columns: readonly string[], rows: readonly (readonly unknown[])[]): string =>
  [columns, ...rows].map((row) => `${row.map((cell) => quoteCell(disarm(textOfCell(cell)))).join(',')}\r\n`).join('');
