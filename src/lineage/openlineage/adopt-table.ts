import type { Principal } from '../../access/principal.ts';
import { checkDeletion, deleteRecord } from '../../catalog/cascade/delete-and-restore.ts';
import type { RefNode } from '../../catalog/queries.ts';
import { notFound } from '../../errors.ts';
import { joinFqn } from '../../model/name.ts';
import { stripComputedColumnMembers } from '../../model/schemas/columns/column.ts';
import { type Endpoint, toEndpoint } from '../endpoints.ts';
import { editLineageForbidden, readEditableIds } from '../ingest/edge-rows.ts';
import { type LineageMove, moveLineage, previewLineageMove, previewWholeMove } from '../move/move-lineage.ts';
import type { EdgeStore } from '../write/edge-store.ts';
import { addReportedColumns, type CreatedRecords, createDatasetBelow, readColumns } from './create-records.ts';
import type { MatchReason, Placement } from './dataset-meaning.ts';
import type { LocatedDataset } from './resolve-names.ts';

/** Merges a table of a namespace that belonged to no service into the record that it turned out to be. */

/** What became, or would become, of one table. */
export type Adoption = LineageMove & {
  readonly by: MatchReason;
  /** The record that has the lineage now; absent in a dry run that would create it. */
  readonly into: Endpoint | undefined;
  /** The full name of the record that is created for it. */
  readonly creates?: string;
};

export type AdoptionRoom = {
  readonly edges: EdgeStore;
  readonly principal: Principal;
  readonly created: CreatedRecords;
  readonly dryRun: boolean;
};

const SOFT = { hardDelete: false, recursive: true } as const;

const placementFqn = ({ service, path }: Placement): string =>
  path.reduce((above, part) => joinFqn(above, part), service.fqn);

/** Finds or creates the record that takes the place of a table. */
const provideTarget = async (
  { edges: { engine }, principal, created }: AdoptionRoom,
  { known, isGrowing, placement }: LocatedDataset,
  island: Endpoint,
): Promise<Endpoint> => {
  const columns = (await readColumns(engine, island)) ?? [];
  if (known) {
    if (isGrowing) await addReportedColumns(engine, principal, known.endpoint, columns);
    return known.endpoint;
  }
  const own = columns.map(stripComputedColumnMembers);
  const fresh = placement && (await createDatasetBelow(created, placement, own));
  if (!fresh) throw notFound('The dataset belongs to no record and to no known service');
  return fresh;
};

const requireEditable = async ({ edges: { engine }, principal }: AdoptionRoom, target: Endpoint): Promise<void> => {
  const editable = await readEditableIds(engine, principal, [target]);
  if (!editable.has(target.id)) throw editLineageForbidden(principal);
};

/** Says what would be moved. A table that grows with events gets the columns that it lacks. */
const previewMove = async (
  { edges, principal }: AdoptionRoom,
  island: Endpoint,
  { known, isGrowing }: LocatedDataset,
): Promise<LineageMove> => {
  if (!known) return previewWholeMove(edges, principal, island);
  const move = await previewLineageMove(edges, principal, island, known.endpoint);
  return isGrowing ? { ...move, unknownColumns: [] } : move;
};

/**
 * Moves the lineage of a table of an unknown namespace to the record that its dataset is, and deletes the table softly:
 * what people added to it can be looked up and restored.
 */
export const adoptTable = async (room: AdoptionRoom, ref: RefNode, located: LocatedDataset): Promise<Adoption> => {
  const { edges, principal, dryRun } = room;
  const { engine } = edges;
  const { known, placement } = located;
  const by = known?.matchedBy ?? placement?.by;
  const island = toEndpoint(engine, ref);
  if (by === undefined || known?.endpoint.id === ref.id) {
    throw notFound('The dataset belongs to no record and to no known service');
  }
  if (known) await requireEditable(room, known.endpoint);
  const writer = { kind: island.kind, principal };
  await checkDeletion(engine, writer, { id: ref.id }, SOFT);
  const creates = known || !placement ? {} : { creates: placementFqn(placement) };
  if (dryRun) {
    return { ...(await previewMove(room, island, located)), by, into: known?.endpoint, ...creates };
  }
  const target = await provideTarget(room, located, island);
  const move = await moveLineage(edges, principal, island, target);
  await deleteRecord(engine, writer, { id: ref.id }, SOFT);
  return { ...move, by, into: target, ...creates };
};
