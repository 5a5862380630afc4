import { isMap, isNode, isScalar, isSeq, LineCounter, parseDocument } from 'yaml';

/** Finds the lines of a document that messages are about. */

const STEP = /([^.[\]]+)|\[(\d+)\]/g;

/** The steps of a path such as `schema[0].properties[3].businessName`. */
const stepsOf = (path: string): readonly (string | number)[] =>
  [...path.matchAll(STEP)].map(([, name, position]) => (position === undefined ? (name ?? '') : Number(position)));

const OF_SYNTAX = /\bline (\d+), column (\d+)/;

/** The line that the message itself names. */
export const lineOfMessage = (message: string): number | undefined => {
  const line = OF_SYNTAX.exec(message)?.[1];
  return line === undefined ? undefined : Number(line);
};

export type LineFinder = (path: string) => number | undefined;

/** Reads a document once, and answers the line of a path: of its deepest part that the document has. */
export const findLines = (text: string): LineFinder => {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines });
  const lineAt = (node: unknown): number | undefined =>
    isNode(node) && node.range ? lines.linePos(node.range[0]).line : undefined;
  return (path) => {
    let node: unknown = document.contents;
    let line = lineAt(node);
    for (const step of stepsOf(path)) {
      if (isMap(node)) {
        const pair = node.items.find(({ key }) => (isScalar(key) ? String(key.value) : undefined) === String(step));
        if (pair === undefined) return line;
        line = lineAt(pair.key) ?? line;
        node = pair.value;
      } else if (isSeq(node)) {
        node = node.items[Number(step)];
        if (node === undefined) return line;
        line = lineAt(node) ?? line;
      } else return line;
    }
    return line;
  };
};
