import type { RefNode } from '../../catalog/queries.ts';
import { readDocuments } from '../../catalog/read/documents.ts';
import { redactorFor } from '../../catalog/read/visibility.ts';
import { readDerived } from '../derived.ts';
import { withDerived } from '../entity-lineage.ts';
import { listAmong } from '../queries.ts';
import { sightOf } from '../sight.ts';
import {
  flagAsked,
  type Request,
  sizeAsked,
  spanAsked,
  takesForWhole,
  viewsAsked,
  type Wanted,
  wantedAsked,
} from './asked.ts';
import type { Caller } from './ground.ts';
import { showMap } from './map.ts';
import { listInView } from './queries.ts';
import type { MapRoom, Told } from './read.ts';

type Views = ReturnType<typeof viewsAsked>;

const byName = (a: RefNode, b: RefNode) =>
  a.fullyQualifiedName < b.fullyQualifiedName ? -1 : a.fullyQualifiedName > b.fullyQualifiedName ? 1 : 0;

type Listed = { readonly nodes: readonly RefNode[]; readonly isCut: boolean };

/** The records of some views that the caller may see, in the order of their names; of each kind as many as fit in. */
const listNodes = async (
  { engine, budget }: MapRoom,
  { principal }: Caller,
  views: Views,
  includeDeleted: boolean,
): Promise<Listed> => {
  const kinds = engine.registry.kinds.filter(({ platformView }) => platformView && views.includes(platformView));
  const rows = await Promise.all(
    kinds.map(({ label }) => engine.graph.read(listInView.for(label), { includeDeleted, limit: budget.nodes + 1 })),
  );
  const nodes = rows.flatMap((some) => some.slice(0, budget.nodes).map(({ node }) => node));
  const sees = await sightOf(engine, principal, nodes);
  return {
    nodes: nodes.filter(({ id }) => sees(id)).sort(byName),
    isCut: rows.some((some) => some.length > budget.nodes),
  };
};

const filtered = async (
  { engine }: MapRoom,
  { hrefBase, principal }: Caller,
  nodes: readonly RefNode[],
  { document: isWanted }: Wanted,
): Promise<readonly RefNode[]> => {
  if (!isWanted) return nodes;
  const ids = nodes.map(({ id }) => id);
  const documents = await readDocuments(engine, ids, hrefBase, undefined, redactorFor(engine, principal));
  return nodes.filter(({ id }) => {
    const document = documents.get(id);
    return document !== undefined && isWanted(document);
  });
};

/** Asks for what stands for everything there is, and for the edges between that. Nothing in it is nearer than the rest. */
export const askPlatform = (room: MapRoom, request: Request): ((caller: Caller) => Promise<Told>) => {
  const { engine, budget } = room;
  const views = viewsAsked(request);
  const span = spanAsked(request, 1);
  const size = sizeAsked(request);
  const isWhole = takesForWhole(request);
  const includeDeleted = flagAsked(request, 'includeDeleted');
  const wanted = wantedAsked(request, engine.registry, engine.clock());
  return async (caller) => {
    const listed = await listNodes(room, caller, views, includeDeleted);
    const wantedNodes = await filtered(room, caller, listed.nodes, wanted);
    const some = wantedNodes.slice(0, size);
    const nodes = new Map(some.slice(0, budget.nodes).map((node) => [node.id, node]));
    const ids = [...nodes.keys()];
    const [said, ...derived] = await Promise.all([
      engine.graph.read(listAmong, { near: ids, ids, limit: budget.edges + 1 }),
      ...views.map((view) => readDerived(engine, caller.principal, view, { includeDeleted })),
    ]);
    const counted = derived.flatMap((one) => one.edges.filter(([from, to]) => nodes.has(from) && nodes.has(to)));
    const joined = withDerived(
      said.map(({ edge }) => edge),
      counted,
    );
    const edges = joined.slice(0, budget.edges);
    const [upstream, downstream] = span.upstream > 0 ? [edges, []] : [[], span.downstream > 0 ? edges : []];
    const areEdgesCut = edges.length < joined.length || derived.some((one) => one.truncated);
    const areNodesCut = listed.isCut || ids.length < (isWhole ? wantedNodes : some).length;
    const drawing = {
      nodes,
      places: new Map(ids.map((id) => [id, 0])),
      upstream,
      downstream,
      implied: counted.map(([from, to]) => [from, to] as const),
      truncated: areEdgesCut ? ('edges' as const) : areNodesCut ? ('nodes' as const) : undefined,
    };
    const json = await showMap(room, caller, drawing, { includeDeleted, fields: undefined });
    return { json, truncated: drawing.truncated };
  };
};
