import { readDocuments } from '../../catalog/read/documents.ts';
import { redactorFor } from '../../catalog/read/visibility.ts';
import type { JsonObject } from '../../model/json.ts';
import type { Reader, Span } from '../entity-lineage.ts';
import type { CountAsked, Page, Wanted } from './asked.ts';
import { type Choice, chooseLayers, choosePage, countLayers, type Documents, walkGround } from './choose.ts';
import type { Caller, Ground } from './ground.ts';
import type { Reach } from './layers.ts';

/** Both directions of what a request wants to know of a record. */
export type Reaches = { readonly upstream: Reach; readonly downstream: Reach };

const nowhere = ({ root }: Ground): Reach => ({ depths: new Map([[root.id, 0]]), edges: [] });

const within = (ground: Ground, { upstream, downstream }: Span): readonly string[] => [
  ...walkGround(ground, 'upstream', upstream).depths.keys(),
  ...walkGround(ground, 'downstream', downstream).depths.keys(),
];

const NO_DOCUMENTS: Documents = new Map();

/** The documents that must be looked at before it is known which records are wanted. */
const readJudged = (
  { engine }: Reader,
  caller: Caller,
  ground: Ground,
  span: Span,
  { document }: Wanted,
): Promise<Documents> =>
  document
    ? readDocuments(engine, within(ground, span), caller.hrefBase, undefined, redactorFor(engine, caller.principal))
    : Promise.resolve(NO_DOCUMENTS);

/** What lies around a record in both directions, layer by layer. */
export const reachAround = async (
  reader: Reader,
  caller: Caller,
  ground: Ground,
  span: Span,
  choice: Choice,
  page: Page,
): Promise<Reaches> => {
  const documents = await readJudged(reader, caller, ground, span, choice.wanted);
  return {
    upstream: chooseLayers(ground, 'upstream', span.upstream, choice, page, documents),
    downstream: chooseLayers(ground, 'downstream', span.downstream, choice, page, documents),
  };
};

/** How far a list in one direction is walked. */
export const spanOf = ({ direction, depth }: CountAsked): Span => ({ upstream: 0, downstream: 0, [direction]: depth });

/** A page of what lies in one direction. */
export const reachPage = async (
  reader: Reader,
  caller: Caller,
  ground: Ground,
  asked: CountAsked,
  choice: Choice,
  page: Page,
): Promise<Reaches> => {
  const documents = await readJudged(reader, caller, ground, spanOf(asked), choice.wanted);
  const reach = choosePage(ground, asked, choice, page, documents);
  return { upstream: nowhere(ground), downstream: nowhere(ground), [asked.direction]: reach };
};

const sum = (counts: readonly { readonly entityCount: number }[]) =>
  counts.reduce((total, { entityCount }) => total + entityCount, 0);

const deepest = (counts: readonly { readonly depth: number }[]) => Math.max(0, ...counts.map(({ depth }) => depth));

/** How much there is around a record, layer by layer. */
export const countAround = async (
  reader: Reader,
  caller: Caller,
  ground: Ground,
  span: Span,
  wanted: Wanted,
): Promise<JsonObject> => {
  const documents = await readJudged(reader, caller, ground, span, wanted);
  const up = countLayers(ground, 'upstream', span.upstream, wanted, documents);
  const down = countLayers(ground, 'downstream', span.downstream, wanted, documents);
  return {
    totalUpstreamEntities: sum(up),
    totalDownstreamEntities: sum(down),
    upstreamDepthInfo: up,
    downstreamDepthInfo: down,
    maxUpstreamDepth: deepest(up),
    maxDownstreamDepth: deepest(down),
  };
};
