import type { Json, JsonObject, MutableJsonObject } from '../model/json.ts';
import type { Mapping, Merged } from './edge.ts';

/** The names of the two ends, which names of columns begin with. */
export type Names = { readonly from: string; readonly to: string };

const showMapping = ({ from, to, function: made }: Mapping, names: Names): JsonObject => ({
  fromColumns: from.map((name) => `${names.from}.${name}`),
  toColumn: `${names.to}.${to}`,
  ...(made === undefined ? {} : { function: made }),
});

/** Who is said to carry the data, as a reference; undefined when that record is gone. */
export type CarrierOf = (id: string) => JsonObject | undefined;

/** The details of an edge as the wire knows them. Described only beside the details, it is described in them as well. */
export const showDetails = (merged: Merged, names: Names, carrierOf: CarrierOf): JsonObject => {
  const out: MutableJsonObject = {};
  if (merged.sqlQuery !== undefined) out['sqlQuery'] = merged.sqlQuery;
  out['columnsLineage'] = merged.mappings.map((mapping) => showMapping(mapping, names));
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

type Ends = { readonly from: { readonly id: string; readonly fullyQualifiedName: string }; readonly to: Ends['from'] };

/** An edge as the wire knows it. */
export const showEdge = ({ from, to }: Ends, merged: Merged, carrierOf: CarrierOf): JsonObject => {
  const description = merged.edgeDescription ?? merged.description;
  return {
    fromEntity: from.id,
    toEntity: to.id,
    ...(description === undefined ? {} : { description }),
    lineageDetails: showDetails(merged, { from: from.fullyQualifiedName, to: to.fullyQualifiedName }, carrierOf),
  };
};
