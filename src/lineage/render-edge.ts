import type { Json, JsonObject, MutableJsonObject } from '../model/json.ts';
import type { ColumnMapping, MergedEdge } from './edge.ts';

/** The names of the two ends, which names of columns begin with. */
export type EndpointNames = { readonly from: string; readonly to: string };

const renderMapping = ({ from, to, function: made }: ColumnMapping, names: EndpointNames): JsonObject => ({
  fromColumns: from.map((name) => `${names.from}.${name}`),
  toColumn: `${names.to}.${to}`,
  ...(made === undefined ? {} : { function: made }),
});

/** Who is said to carry the data, as a reference; undefined when that record is gone. */
export type PipelineLookup = (id: string) => JsonObject | undefined;

/** The details of an edge as the wire knows them. Described only beside the details, it is described in them as well. */
export const renderEdgeDetails = (merged: MergedEdge, names: EndpointNames, carrierOf: PipelineLookup): JsonObject => {
  const out: MutableJsonObject = {};
  if (merged.sqlQuery !== undefined) out['sqlQuery'] = merged.sqlQuery;
  out['columnsLineage'] = merged.mappings.map((mapping) => renderMapping(mapping, names));
  const carrier = merged.pipelineId === undefined ? undefined : carrierOf(merged.pipelineId);
  if (carrier) out['pipeline'] = carrier;
  const description = merged.description ?? merged.edgeDescription;
  if (description !== undefined) out['description'] = description;
  out['source'] = merged.source;
  out['createdAt'] = merged.createdAt;
  out['createdBy'] = merged.createdBy;
  out['updatedAt'] = merged.updatedAt;
  out['updatedBy'] = merged.updatedBy;
  if (merged.assetEdges !== undefined) out['assetEdges'] = merged.assetEdges;
  if (merged.tempLineageTables !== undefined) out['tempLineageTables'] = merged.tempLineageTables as Json;
  return out;
};

type RenderedEndpoints = {
  readonly from: { readonly id: string; readonly fullyQualifiedName: string };
  readonly to: RenderedEndpoints['from'];
};

/** An edge as the wire knows it. */
export const renderEdge = (
  { from, to }: RenderedEndpoints,
  merged: MergedEdge,
  carrierOf: PipelineLookup,
): JsonObject => {
  const description = merged.edgeDescription ?? merged.description;
  return {
    fromEntity: from.id,
    toEntity: to.id,
    ...(description === undefined ? {} : { description }),
    lineageDetails: renderEdgeDetails(merged, { from: from.fullyQualifiedName, to: to.fullyQualifiedName }, carrierOf),
  };
};
