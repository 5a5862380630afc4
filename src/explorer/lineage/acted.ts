import type { LineageNode } from '../api/types.ts';
import type { LineageChoice } from './choice.ts';
import type { ShownGraph } from './graph-model.ts';

/** At which box somebody acted, wherever they did it: at the box, by a key, in a panel, or by going back. */

const changeOf = (before: readonly string[], now: readonly string[]): string | undefined =>
  now.findLast((item) => !before.includes(item)) ?? before.findLast((item) => !now.includes(item));

/** Steps name their direction, and unfolded groups how many are shown, before a colon. */
const afterColon = (text: string | undefined): string | undefined => text?.slice(text.indexOf(':') + 1);

const ownerOf = (column: string | undefined, { nodes }: Pick<ShownGraph, 'nodes'>): string | undefined => {
  if (column === undefined) return undefined;
  const lengthOf = ({ fullyQualifiedName: fqn = '' }: LineageNode) => (column.startsWith(`${fqn}.`) ? fqn.length : 0);
  return [...nodes.values()].sort((one, other) => lengthOf(other) - lengthOf(one)).find((node) => lengthOf(node) > 0)
    ?.id;
};

export const findActed = (
  before: LineageChoice,
  now: LineageChoice,
  graph: Pick<ShownGraph, 'nodes'>,
): string | undefined =>
  changeOf(before.open, now.open) ??
  afterColon(changeOf(before.more, now.more)) ??
  afterColon(changeOf(before.unfold, now.unfold)) ??
  changeOf(before.alone, now.alone) ??
  (before.column === now.column ? undefined : ownerOf(now.column ?? before.column, graph));
