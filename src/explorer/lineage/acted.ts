import type { LineageChoice } from './choice.ts';
import { findColumnOwner, type ShownGraph } from './graph-model.ts';

/** At which box somebody acted, wherever they did it: at the box, by a key, in a panel, or by going back. */

const changeOf = (before: readonly string[], now: readonly string[]): string | undefined =>
  now.findLast((item) => !before.includes(item)) ?? before.findLast((item) => !now.includes(item));

/** Steps name their direction, and unfolded groups how many are shown, before a colon. */
const afterColon = (text: string | undefined): string | undefined => text?.slice(text.indexOf(':') + 1);

export const findActed = (
  before: LineageChoice,
  now: LineageChoice,
  graph: Pick<ShownGraph, 'nodes'>,
): string | undefined =>
  changeOf(before.open, now.open) ??
  changeOf(before.picked, now.picked) ??
  afterColon(changeOf(before.more, now.more)) ??
  afterColon(changeOf(before.unfold, now.unfold)) ??
  changeOf(before.alone, now.alone) ??
  (before.column === now.column ? undefined : findColumnOwner(graph, now.column ?? before.column ?? '')?.id);
