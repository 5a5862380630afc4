import { type CatalogAnswer, objectOf, readList, textOf } from './catalog-client.ts';
import { stripControls } from './output.ts';

/** Draws lineage as a tree of lines. */

export type Direction = 'upstream' | 'downstream';

type Graph = {
  readonly nodes: ReadonlyMap<string, CatalogAnswer>;
  readonly edges: readonly CatalogAnswer[];
  readonly hiddenCounts: CatalogAnswer;
};

export const readGraph = (answer: CatalogAnswer): Graph => ({
  nodes: new Map([objectOf(answer['root']), ...readList(answer['nodes'])].map((node) => [textOf(node['id']), node])),
  edges: readList(answer['edges']),
  hiddenCounts: objectOf(answer['hiddenCounts']),
});

const labelOf = ({ nodes }: Graph, id: string): string => {
  const node = nodes.get(id) ?? {};
  if (node['hidden'] === true) return `(a ${stripControls(textOf(node['type'])) || 'record'} that you may not see)`;
  const type = stripControls(textOf(node['type']));
  return `${stripControls(textOf(node['fullyQualifiedName']))}${type === 'table' ? '' : ` (${type})`}`;
};

const neighboursOf = ({ edges }: Graph, id: string, direction: Direction): readonly string[] => {
  const [near, far] = direction === 'upstream' ? ['toEntity', 'fromEntity'] : ['fromEntity', 'toEntity'];
  return [...new Set(edges.filter((edge) => edge[near] === id).map((edge) => textOf(edge[far])))];
};

const moreOf = ({ hiddenCounts }: Graph, id: string, direction: Direction): number =>
  Number(objectOf(hiddenCounts[id])[direction] ?? 0);

/**
 * Draws what lies in one direction of an asset. An asset that was drawn before is named again and not followed again,
 * so that cycles end and shared branches are drawn once.
 */
export const drawTree = (graph: Graph, rootId: string, direction: Direction): readonly string[] => {
  const lines: string[] = [];
  const drawn = new Set<string>();
  const draw = (id: string, indent: string): void => {
    const isKnown = drawn.has(id);
    drawn.add(id);
    if (isKnown) return;
    const below = [...neighboursOf(graph, id, direction)].sort((one, other) =>
      labelOf(graph, one) < labelOf(graph, other) ? -1 : 1,
    );
    const more = moreOf(graph, id, direction);
    for (const [at, next] of below.entries()) {
      const isLast = at === below.length - 1 && more === 0;
      const again = drawn.has(next) && neighboursOf(graph, next, direction).length > 0 ? ' (see above)' : '';
      lines.push(`${indent}${isLast ? '└─ ' : '├─ '}${labelOf(graph, next)}${again}`);
      draw(next, `${indent}${isLast ? '   ' : '│  '}`);
    }
    if (more > 0) lines.push(`${indent}└─ … ${more} more`);
  };
  draw(rootId, '');
  return lines;
};
