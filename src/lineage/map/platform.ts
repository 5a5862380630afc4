import type { RefNode } from '../../catalog/queries.ts';
import { readDocuments } from '../../catalog/read/documents.ts';
import { readDerived } from '../derived.ts';
import { withDerived } from '../entity-lineage.ts';
import type { EdgeTuple } from '../queries.ts';
import { sightOf } from '../sight.ts';
import { flagAsked, type Request, sizeAsked, spanAsked, viewsAsked, type Wanted, wantedAsked } from './asked.ts';
import type { Caller } from './ground.ts';
import { showMap } from './map.ts';
import { listInView } from './queries.ts';
import type { MapRoom, Told } from './read.ts';

type Views = ReturnType<typeof viewsAsked>;

const byName = (a: RefNode, b: RefNode) =>
  a.fullyQualifiedName < b.fullyQualifiedName ? -1 : a.fullyQualifiedName > b.fullyQualifiedName ? 1 : 0;

/** The records of some views that the caller may see, in the order of their names. */
const listNodes = async ({ engine, budget }: MapRoom, { principal }: Caller, views: Views, includeDeleted: boolean) => {
  const kinds = engine.registry.kinds.filter(({ platformView }) => platformView && views.includes(platformView));
  const rows = await Promise.all(
    kinds.map(({ label }) => engine.graph.read(listInView.for(label), { includeDeleted, limit: budget.nodes })),
  );
  const nodes = rows.flat().map(({ node }) => node);
  const sees = await sightOf(engine, principal, nodes);
  return nodes.filter(({ id }) => sees(id)).sort(byName);
};

const filtered = async (
  { engine }: MapRoom,
  { hrefBase }: Caller,
  nodes: readonly RefNode[],
  { document: isWanted }: Wanted,
): Promise<readonly RefNode[]> => {
  if (!isWanted) return nodes;
  const ids = nodes.map(({ id }) => id);
  const documents = await readDocuments(engine, ids, hrefBase);
  return nodes.filter(({ id }) => {
    const document = documents.get(id);
    return document !== undefined && isWanted(document);
  });
};

/** Asks for what stands for everything there is, and for the edges between that. Nothing in it is nearer than the rest. */
export const askPlatform = (room: MapRoom, request: Request): ((caller: Caller) => Promise<Told>) => {
  const { engine, walker, budget } = room;
  const views = viewsAsked(request);
  const span = spanAsked(request, 1);
  const size = sizeAsked(request);
  const includeDeleted = flagAsked(request, 'includeDeleted');
  const wanted = wantedAsked(request, engine.registry, engine.clock());
  return async (caller) => {
    const all = await listNodes(room, caller, views, includeDeleted);
    const nodes = new Map((await filtered(room, caller, all, wanted)).slice(0, size).map((node) => [node.id, node]));
    const [said, ...derived] = await Promise.all([
      walker.walk('downstream', [...nodes.keys()], 1, budget),
      ...views.map((view) => readDerived(engine, caller.principal, view, { includeDeleted })),
    ]);
    const isIn = (edge: EdgeTuple) => nodes.has(edge[0]) && nodes.has(edge[1]);
    const counted = derived.flatMap((one) => one.edges.filter(isIn));
    const joined = withDerived(said.edges, counted).filter(isIn);
    const edges = joined.slice(0, budget.edges);
    const [upstream, downstream] = span.upstream > 0 ? [edges, []] : [[], span.downstream > 0 ? edges : []];
    const drawing = {
      nodes,
      places: new Map([...nodes.keys()].map((id) => [id, 0])),
      upstream,
      downstream,
      implied: counted.map(([from, to]) => [from, to] as const),
      truncated: edges.length < joined.length || derived.some((one) => one.truncated) ? ('edges' as const) : undefined,
    };
    const json = await showMap(room, caller, drawing, { includeDeleted, fields: undefined });
    return { json, truncated: drawing.truncated };
  };
};
