import { type Kind, resolveFqnText } from '../../model/kind/kind.ts';

/** The names that were seen, also in the order of their characters. Neither they nor their ancestors are stale. */
export type SeenNames = { readonly names: ReadonlySet<string>; readonly sorted: readonly string[] };

export const collectSeenNames = (kind: Kind, names: readonly string[]): SeenNames => {
  const seen = new Set(names.map((name) => resolveFqnText(kind, name)));
  return { names: seen, sorted: [...seen].sort() };
};

/**
 * Whether a name below this one was seen. A long name has so many ancestors that listing those of all names would take
 * far longer than looking for one among the names.
 */
export const isAboveSeen = ({ sorted }: SeenNames, fqn: string): boolean => {
  const below = `${fqn}.`;
  let [from, to] = [0, sorted.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if ((sorted[middle] ?? '') < below) from = middle + 1;
    else to = middle;
  }
  return sorted[from]?.startsWith(below) ?? false;
};
