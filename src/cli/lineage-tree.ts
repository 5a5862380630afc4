import { type CatalogAnswer, objectOf, readList, textOf } from './catalog-client.ts';
import { stripControls } from './output.ts';

/** Draws lineage, of assets or of columns, as a tree of lines. */

export type Direction = 'upstream' | 'downstream';

/** What a tree is drawn from. */
export type Lineage = {
  readonly root: string;
  readonly labelOf: (id: string) => string;
  readonly neighboursOf: (id: string, direction: Direction) => readonly string[];
  /** The number of neighbours that the answer leaves out. */
  readonly moreOf: (id: string, direction: Direction) => number;
};

type Ends = { readonly from: string; readonly to: string };

/** Finds neighbours by the ends of edges. */
const byEnds = (edges: readonly Ends[]): Lineage['neighboursOf'] => {
  const below = { upstream: new Map<string, Set<string>>(), downstream: new Map<string, Set<string>>() };
  const note = (direction: Direction, id: string, next: string) => {
    const known = below[direction].get(id);
    if (known) known.add(next);
    else below[direction].set(id, new Set([next]));
  };
  for (const { from, to } of edges) {
    note('downstream', from, to);
    note('upstream', to, from);
  }
  return (id, direction) => [...(below[direction].get(id) ?? [])];
};

const endsOf = (edges: readonly CatalogAnswer[], from: string, to: string): readonly Ends[] =>
  edges.map((edge) => ({ from: textOf(edge[from]), to: textOf(edge[to]) }));

/** Reads the lineage of assets. */
export const assetLineageOf = (answer: CatalogAnswer): Lineage => {
  const root = objectOf(answer['root']);
  const nodes = new Map([root, ...readList(answer['nodes'])].map((node) => [textOf(node['id']), node]));
  const hiddenCounts = objectOf(answer['hiddenCounts']);
  return {
    root: textOf(root['id']),
    labelOf: (id) => {
      const node = nodes.get(id) ?? {};
      if (node['hidden'] === true) return `(a ${textOf(node['type']) || 'record'} that you may not see)`;
      const type = textOf(node['type']);
      return `${textOf(node['fullyQualifiedName'])}${type === 'table' ? '' : ` (${type})`}`;
    },
    neighboursOf: byEnds(endsOf(readList(answer['edges']), 'fromEntity', 'toEntity')),
    moreOf: (id, direction) => Number(objectOf(hiddenCounts[id])[direction] ?? 0),
  };
};

/** Reads the trail of a column, which may be named relative to its asset. */
export const columnLineageOf = (answer: CatalogAnswer, column: string): Lineage => {
  const asset = textOf(objectOf(answer['root'])['fullyQualifiedName']);
  return {
    root: column.startsWith(`${asset}.`) ? column : `${asset}.${column}`,
    labelOf: (id) => id,
    neighboursOf: byEnds(endsOf(readList(answer['columnEdges']), 'fromColumn', 'toColumn')),
    moreOf: () => 0,
  };
};

/**
 * Draws what lies in one direction of the root. What was drawn before is named again and not followed again, so that cycles
 * end and shared branches are drawn once.
 */
export const drawTree = ({ root, labelOf, neighboursOf, moreOf }: Lineage, direction: Direction): readonly string[] => {
  const lines: string[] = [];
  const drawn = new Set<string>();
  const draw = (id: string, indent: string): void => {
    const isKnown = drawn.has(id);
    drawn.add(id);
    if (isKnown) return;
    const below = [...neighboursOf(id, direction)].sort((one, other) => (labelOf(one) < labelOf(other) ? -1 : 1));
    const more = moreOf(id, direction);
    for (const [at, next] of below.entries()) {
      const isLast = at === below.length - 1 && more === 0;
      const again = drawn.has(next) && neighboursOf(next, direction).length > 0 ? ' (see above)' : '';
      lines.push(`${indent}${isLast ? '└─ ' : '├─ '}${stripControls(labelOf(next))}${again}`);
      draw(next, `${indent}${isLast ? '   ' : '│  '}`);
    }
    if (more > 0) lines.push(`${indent}└─ … ${more} more`);
  };
  draw(root, '');
  return lines;
};
