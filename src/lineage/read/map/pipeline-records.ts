import type { Engine } from '../../../catalog/engine.ts';
import { createView } from '../../../catalog/read/answer.ts';
import { answerFields } from '../../../catalog/read/fields.ts';
import { canKeepMembers } from '../../../catalog/read/keepable-members.ts';
import { recordStateOf } from '../../../catalog/read/kept-answers.ts';
import { renderRecord } from '../../../catalog/read/render.ts';
import { requireKind } from '../../../catalog/registry.ts';
import { groupBy } from '../../../model/group-by.ts';
import type { JsonObject } from '../../../model/json.ts';
import { readVisibleReferences } from '../../node-visibility.ts';
import type { MapCaller } from './visible-lineage.ts';

/** A complete pipeline record with its type. */
export type PipelineRecord = { readonly entityType: string; readonly record: JsonObject };

export type PipelineById = (id: string | undefined) => PipelineRecord | undefined;

export type PipelineRecords = {
  readonly carrierOf: PipelineById;
  /** The records whose data these records contain, and they themselves; undefined if anything else changes them. */
  readonly mentioned: ReadonlySet<string> | undefined;
};

/** Reads the complete pipeline records of edges, as far as the caller may see them. */
export const readPipelineRecords = async (
  engine: Engine,
  caller: MapCaller,
  carrierIds: readonly (string | null)[],
): Promise<PipelineRecords> => {
  const found = await readVisibleReferences(engine, caller.principal, carrierIds);
  const carriers = new Map<string, PipelineRecord>();
  const mentioned = new Set<string>();
  let canKeep = true;
  for (const [entityType, nodes] of groupBy(found, (node) => node.entityType)) {
    const kind = requireKind(engine.registry, entityType);
    const fields = answerFields(kind);
    canKeep &&= canKeepMembers(kind, fields);
    const view = createView(engine, caller, fields);
    const seen = nodes.map(({ id }) => id);
    for (const record of await engine.store.records(kind, seen, fields)) {
      carriers.set(record.id, { entityType, record: renderRecord(record, view) });
      for (const id of [record.id, ...recordStateOf(record).others.keys()]) mentioned.add(id);
    }
  }
  const carrierOf: PipelineById = (id) => (id === undefined ? undefined : carriers.get(id));
  return { carrierOf, mentioned: canKeep ? mentioned : undefined };
};
