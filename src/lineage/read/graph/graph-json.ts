import type { Engine } from '../../../catalog/engine.ts';
import type { Redact } from '../../../catalog/read/redaction.ts';
import { renderRef } from '../../../catalog/read/render.ts';
import type { JsonObject } from '../../../model/json.ts';
import { type GraphRendering, renderColumnEdges, renderGraphEdge, renderNodes } from './render-graph.ts';

/** The number of edges in one chunk of an answer. */
const EDGES_AT_ONCE = 500;

/** Writes the items of a JSON list, several per chunk. */
async function* listItems<T>(
  items: readonly T[],
  show: (item: T) => readonly JsonObject[],
  redact: Redact | undefined,
): AsyncGenerator<string> {
  let isFirst = true;
  for (let start = 0; start < items.length; start += EDGES_AT_ONCE) {
    const shown = items.slice(start, start + EDGES_AT_ONCE).flatMap(show);
    const texts = (redact ? await redact(shown) : shown).map((item) => JSON.stringify(item));
    if (texts.length === 0) continue;
    yield `${isFirst ? '' : ','}${texts.join(',')}`;
    isFirst = false;
  }
}

/** Writes the graph as one JSON document in chunks. */
export async function* graphJsonPieces(engine: Engine, showing: GraphRendering, asOf: number): AsyncGenerator<string> {
  const { drawing, view, columns, redact } = showing;
  const { root, edges, truncated, frontier, hiddenCounts } = drawing;
  yield `{"root":${JSON.stringify(renderRef(root.node, view))},"nodes":[`;
  let separator = '';
  for await (const nodes of renderNodes(engine, showing)) {
    yield separator + nodes.map((node: JsonObject) => JSON.stringify(node)).join(',');
    separator = ',';
  }
  yield '],"edges":[';
  yield* listItems(edges, (edge) => [renderGraphEdge(showing, edge)], redact);
  yield '],"columnEdges":[';
  if (columns) yield* listItems(edges, (edge) => renderColumnEdges(showing, edge), redact);
  const rest = {
    truncated: truncated !== undefined,
    frontier,
    hiddenCounts: Object.fromEntries(hiddenCounts),
    asOf,
  };
  yield `],${JSON.stringify(rest).slice(1)}`;
}
