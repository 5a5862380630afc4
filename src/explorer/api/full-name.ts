/** The parts of a full name, with the quotes that a part may need. */
const partsOfName = (fqn: string): readonly string[] => fqn.match(/"(?:[^"]|"")*"|[^."]+/g) ?? [];

/** The names that a full name consists of. */
export const splitName = (fqn: string): readonly string[] =>
  partsOfName(fqn).map((part) => part.replace(/^"(.*)"$/, '$1'));

/** The name that a full name ends with. */
export const lastName = (fqn: string): string => splitName(fqn).at(-1) ?? fqn;

/** So many parts at the end of a full name tell it from its neighbours: the name, and what it is in. */
const TELLING = 2;

/** A full name as its beginning, which may be cut where there is little room, and its end, which tells most. */
export const splitTellingEnd = (fqn: string): readonly [beginning: string, end: string] => {
  const parts = partsOfName(fqn);
  const end = parts.slice(parts.length > TELLING ? -TELLING : -1).join('.');
  // What is no full name has no beginning to leave out.
  return fqn.endsWith(`.${end}`) ? [fqn.slice(0, -end.length), end] : ['', fqn];
};
