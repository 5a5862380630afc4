import type { Json, JsonObject, MutableJsonObject } from '../model/json.ts';
import type { Assertion, ColumnMapping, MergedEdge } from './edge.ts';

/** The full names of the endpoints, which column names are appended to. */
export type EndpointNames = { readonly from: string; readonly to: string };

const renderMapping = ({ from, to, function: made }: ColumnMapping, names: EndpointNames): JsonObject => ({
  fromColumns: from.map((name) => `${names.from}.${name}`),
  toColumn: `${names.to}.${to}`,
  ...(made === undefined ? {} : { function: made }),
});

/** Returns a reference to the pipeline of an edge, or undefined when the record is gone. */
export type PipelineLookup = (id: string) => JsonObject | undefined;

/**
 * Renders the details of an edge for the API. A description given only next to the details appears inside them as well.
 */
export const renderEdgeDetails = (merged: MergedEdge, names: EndpointNames, carrierOf: PipelineLookup): JsonObject => {
  const out: MutableJsonObject = {};
  if (merged.sqlQuery !== undefined) out['sqlQuery'] = merged.sqlQuery;
  out['columnsLineage'] = merged.mappings.map((mapping) => renderMapping(mapping, names));
  const carrier = merged.pipelineId === undefined ? undefined : carrierOf(merged.pipelineId);
  if (carrier) out['pipeline'] = carrier;
  const description = merged.description ?? merged.edgeDescription;
  if (description !== undefined) out['description'] = description;
  out['source'] = merged.source;
  if (merged.sourceName !== undefined) out['sourceName'] = merged.sourceName;
  out['createdAt'] = merged.createdAt;
  out['createdBy'] = merged.createdBy;
  out['updatedAt'] = merged.updatedAt;
  out['updatedBy'] = merged.updatedBy;
  if (merged.assetEdges !== undefined) out['assetEdges'] = merged.assetEdges;
  if (merged.tempLineageTables !== undefined) out['tempLineageTables'] = merged.tempLineageTables as Json;
  if (merged.observed !== undefined) out['observed'] = merged.observed;
  return out;
};

/** Renders what one source states about an edge. */
export const renderAssertion = (
  { content, seenAt, ...authorship }: Assertion,
  names: EndpointNames,
  carrierOf: PipelineLookup,
): JsonObject => ({
  ...renderEdgeDetails({ ...authorship, ...content }, names, carrierOf),
  ...(seenAt === undefined ? {} : { seenAt }),
});

type RenderedEndpoints = {
  readonly from: { readonly id: string; readonly fullyQualifiedName: string };
  readonly to: RenderedEndpoints['from'];
};

/** Renders an edge for the API. */
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
