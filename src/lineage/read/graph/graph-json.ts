import type { Engine } from '../../../catalog/engine.ts';
import type { Redact } from '../../../catalog/read/redaction.ts';
import { renderRef } from '../../../catalog/read/render.ts';
import { chunk } from '../../../model/chunk.ts';
import type { JsonObject } from '../../../model/json.ts';
import { createAssetGroups } from './asset-groups.ts';
import type { GraphEdge, ShownTrail } from './build-graph.ts';
import { createReferenceFitter } from './reference-fitter.ts';
import { type GraphRendering, renderColumnEdges, renderGraphEdge, renderNodes } from './render-graph.ts';

/** The number of edges or references in one chunk of an answer. */
const ITEMS_AT_ONCE = 500;

/** Writes the items of a JSON list, several per chunk. */
async function* listItems<T>(
  items: readonly T[],
  show: (some: readonly T[]) => readonly JsonObject[] | Promise<readonly JsonObject[]>,
  redact: Redact | undefined,
  fit: (item: JsonObject) => JsonObject = (item) => item,
): AsyncGenerator<string> {
  let isFirst = true;
  for (let start = 0; start < items.length; start += ITEMS_AT_ONCE) {
    const shown = await show(items.slice(start, start + ITEMS_AT_ONCE));
    const texts = (redact ? await redact(shown) : shown).map((item) => JSON.stringify(fit(item)));
    if (texts.length === 0) continue;
    yield `${isFirst ? '' : ','}${texts.join(',')}`;
    isFirst = false;
  }
}

/** Writes the members of a JSON object, several per chunk. */
async function* listEntries(entries: ReadonlyMap<string, JsonObject>): AsyncGenerator<string> {
  let separator = '';
  for (const some of chunk([...entries], ITEMS_AT_ONCE)) {
    yield separator + some.map(([id, value]) => `${JSON.stringify(id)}:${JSON.stringify(value)}`).join(',');
    separator = ',';
  }
}

const renderEdges = async (showing: GraphRendering, edges: readonly GraphEdge[]): Promise<readonly JsonObject[]> => {
  const assertionsAbout = await showing.readAssertions?.(edges);
  return edges.map((edge) => ({ ...renderGraphEdge(showing, edge), ...assertionsAbout?.(edge) }));
};

/** Counts the columns and assets on a trail: those in the graph, and those that are cut from it. */
const renderTrail = ({ columns, cutColumns, cutAssets }: ShownTrail): JsonObject => ({
  columns: [...columns.values()].reduce((sum, { size }) => sum + size, 0),
  assets: columns.size,
  cutColumns,
  cutAssets,
});

/** Writes the graph as one JSON document in chunks, with further members. */
export async function* graphJsonPieces(
  engine: Engine,
  showing: GraphRendering,
  asOf: number,
  further: JsonObject = {},
): AsyncGenerator<string> {
  const { drawing, view, hasColumnEdges, redact, fit } = showing;
  const { roots, edges, truncated, frontier, hiddenCounts, trail } = drawing;
  const { fitReference, fitAsset, fitEdge, entities } = createReferenceFitter(fit);
  const groups = fit.groupBy === undefined ? undefined : createAssetGroups(fit.groupBy);
  const starts = roots.map(({ node }) => fitReference(renderRef(node, view)));
  const [root] = starts;
  const head = { ...(root === undefined ? {} : { root }), ...(starts.length > 1 ? { roots: starts } : {}), nodes: [] };
  yield JSON.stringify(head).slice(0, -2);
  let separator = '';
  for await (const nodes of renderNodes(engine, showing)) {
    if (groups) for (const node of nodes) groups.add(node);
    yield separator + nodes.map((node) => JSON.stringify(fitAsset(node))).join(',');
    separator = ',';
  }
  yield '],"edges":[';
  yield* listItems(edges, (some) => renderEdges(showing, some), redact, fitEdge);
  yield '],"columnEdges":[';
  if (hasColumnEdges)
    yield* listItems(edges, (some) => some.flatMap((edge) => renderColumnEdges(showing, edge)), redact);
  const rest = {
    ...{ truncated: truncated !== undefined, frontier, hiddenCounts: Object.fromEntries(hiddenCounts), asOf },
    ...(trail ? { trail: renderTrail(trail) } : {}),
    ...further,
  };
  yield `],${JSON.stringify(rest).slice(1, -1)}`;
  const references = entities();
  if (references) {
    yield ',"entities":{';
    yield* listEntries(references);
    yield '}';
  }
  yield groups ? `,"groups":${JSON.stringify(groups.list())}}` : '}';
}
