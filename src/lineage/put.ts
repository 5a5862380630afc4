import type { Principal } from '../access/principal.ts';
import type { Pointer } from '../catalog/desire/candidate.ts';
import { badRequest } from '../errors.ts';
import type { Json, JsonObject } from '../model/json.ts';
import { DEFAULT_SOURCE } from '../model/lineage-values.ts';
import { type AskedMapping, type Understood, understand, wantedColumns } from './columns.ts';
import { contentOf } from './edge.ts';
import { assertEdge, type Edges, readEdge, type Settled, settle } from './edges.ts';
import { findCarrier, findSite, permitEdge, readPointer, type Site } from './ends.ts';

/** What a request says of an edge, checked for its shape. */
export type Details = {
  readonly sqlQuery?: string;
  readonly columnsLineage?: readonly AskedMapping[];
  readonly pipeline?: JsonObject;
  readonly description?: string;
  readonly source?: string;
  readonly tempLineageTables?: Json;
};

/** An edge as a request has it. */
export type AskedEdge = {
  readonly fromEntity: JsonObject;
  readonly toEntity: JsonObject;
  readonly description?: string;
  readonly lineageDetails?: Details;
};

export type PutOptions = {
  /** Columns that nobody knows are refused instead of being left out. */
  readonly strictColumns: boolean;
};

const refuseUnknown = ({ unknown }: Understood) => {
  if (unknown.length > 0) throw badRequest(`Unknown columns: ${unknown.slice(0, 100).join(', ')}`);
};

const refuseLoop = (from: Site, to: Site) => {
  if (from.id === to.id) throw badRequest(`${from.fullyQualifiedName} cannot be upstream of itself`);
};

/** What was put, and which of its columns nobody knows. */
export type Put = {
  readonly from: Site;
  readonly to: Site;
  readonly settled: Settled;
  readonly unknown: readonly string[];
};

/** What a request says of an edge once everything it points at is found. */
export type Found = {
  readonly from: Site;
  readonly to: Site;
  readonly pipelineId: string | undefined;
  readonly description: string | undefined;
  readonly details: Details;
};

export const pipelinePointer = (edges: Edges, { pipeline }: Details): Pointer | undefined =>
  pipeline === undefined ? undefined : readPointer(edges.engine, pipeline);

/** The records that a request points at: those at both ends, and the one that data runs through. */
export const findAll = async (
  edges: Edges,
  ends: () => readonly [Promise<Site>, Promise<Site>],
  details: Details,
  description?: string,
): Promise<Found> => {
  const { engine } = edges;
  const carrier = pipelinePointer(edges, details);
  const [from, to, pipeline] = await Promise.all([
    ...ends(),
    carrier === undefined ? undefined : findCarrier(engine, carrier),
  ]);
  return { from, to, pipelineId: pipeline?.id, description, details };
};

/** The same for an edge whose ends are told by references. */
export const findEdge = (edges: Edges, asked: AskedEdge): Promise<Found> => {
  const from = readPointer(edges.engine, asked.fromEntity);
  const to = readPointer(edges.engine, asked.toEntity);
  const find = () => [findSite(edges.engine, from), findSite(edges.engine, to)] as const;
  return findAll(edges, find, asked.lineageDetails ?? {}, asked.description);
};

/** Says of an edge what a request says, in the name of its source, for somebody who may. */
export const sayEdge = async (
  edges: Edges,
  principal: Principal,
  { from, to, pipelineId, description, details }: Found,
  { strictColumns }: PutOptions,
): Promise<Put> => {
  refuseLoop(from, to);
  const asked = details.columnsLineage ?? [];
  const wanted = wantedColumns(from, to, asked);
  let unknown: readonly string[] = [];
  const settled = await settle(edges, from, to, async () => {
    const sight = await readEdge(edges, from, to, wanted);
    const understood = understand(from, to, asked, sight.known);
    if (strictColumns) refuseUnknown(understood);
    unknown = understood.unknown;
    const { sqlQuery, tempLineageTables } = details;
    const content = contentOf({
      ...(sqlQuery === undefined ? {} : { sqlQuery }),
      ...(details.description === undefined ? {} : { description: details.description }),
      ...(description === undefined ? {} : { edgeDescription: description }),
      mappings: understood.mappings,
      ...(pipelineId === undefined ? {} : { pipelineId }),
      ...(tempLineageTables === undefined ? {} : { tempLineageTables }),
    });
    const { fromKeys, toKeys } = understood;
    const source = details.source ?? DEFAULT_SOURCE;
    return assertEdge(edges, principal, [from, to], sight, { source, content, fromKeys, toKeys });
  });
  return { from, to, settled, unknown };
};

/** Says of an edge what a request says, if the caller may. */
export const putEdge = async (edges: Edges, principal: Principal, found: Found, options: PutOptions): Promise<Put> => {
  await permitEdge(edges.engine, principal, [found.from, found.to]);
  return sayEdge(edges, principal, found, options);
};
