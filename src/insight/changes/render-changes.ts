import type { Engine } from '../../catalog/engine.ts';
import { createView } from '../../catalog/read/answer.ts';
import { NO_FIELDS } from '../../catalog/read/fields.ts';
import { createRedactor } from '../../catalog/read/redaction.ts';
import { renderRef } from '../../catalog/read/render.ts';
import { timePlace } from '../../events/sequence.ts';
import { withPositions } from '../../graph/statement.ts';
import type { Call } from '../../http/route.ts';
import { readPipelineReferences } from '../../lineage/read/entity-lineage.ts';
import { type PipelineLookup, renderEdgeDetails } from '../../lineage/render-edge.ts';
import type { JsonObject } from '../../model/json.ts';
import { CHANGE_KINDS } from '../../model/schemas/insight/changes.ts';
import type { CsvColumns } from '../insight-parameters.ts';
import type { ChangeRecord, EdgeDifference, EdgeStatement, EventClue } from './catalog-change.ts';
import { type EventKey, findChangeEvents } from './queries.ts';

/** Renders changes for the API. */

/** Positions in time order before and after all events of a record. */
const ALL_TIME = { since: '', until: '~' };

const toEventKey = ({ entityId, eventTypes, at, mark }: EventClue): EventKey => ({
  entityId,
  eventTypes,
  ...(at === undefined ? ALL_TIME : { since: timePlace(at), until: timePlace(at + 1) }),
  mark: mark ?? null,
});

type FoundEvent = { readonly id: string | null; readonly by: string | null };

/** The event of the change at a position. */
type PlacedEvent = FoundEvent & { readonly at: number };

const NO_EVENT: FoundEvent = { id: null, by: null };

/** Leaves out the authors of events whom the caller may not see. */
const redactAuthors = async (engine: Engine, { principal }: Call, events: readonly PlacedEvent[]) => {
  const redact = createRedactor(engine, principal);
  if (!redact) return events;
  const shown = await redact(events.map(({ by }): JsonObject => ({ updatedBy: by })));
  return events.map((event, at) => ({ ...event, by: (shown[at]?.['updatedBy'] as string | undefined) ?? null }));
};

/** Finds the events of changes, as far as they are still kept, in the order of the changes. */
const findEvents = async (
  engine: Engine,
  call: Call,
  rows: readonly ChangeRecord[],
): Promise<readonly FoundEvent[]> => {
  const clues = withPositions(rows.map(({ event }) => ({ event }))).flatMap(({ event, at }) =>
    typeof event === 'string' ? [] : [{ ...toEventKey(event), at }],
  );
  const found = clues.length === 0 ? [] : await engine.graph.read(findChangeEvents, { rows: clues });
  const byPosition = new Map((await redactAuthors(engine, call, found)).map((event) => [event.at, event]));
  return rows.map(({ event }, at) =>
    typeof event === 'string' ? { id: event, by: null } : (byPosition.get(at) ?? NO_EVENT),
  );
};

const renderStatement = (
  { from, to }: EdgeDifference,
  { merged, sources }: EdgeStatement,
  carrierOf: PipelineLookup,
  refOf: (node: ChangeRecord['node']) => JsonObject,
): JsonObject => {
  const details = renderEdgeDetails(merged, { from: from.fullyQualifiedName, to: to.fullyQualifiedName }, carrierOf);
  return { fromEntity: refOf(from), toEntity: refOf(to), sources, lineageDetails: details };
};

type ChangeRendering = {
  readonly refOf: (node: ChangeRecord['node']) => JsonObject;
  readonly carrierOf: PipelineLookup;
};

const renderSides = (
  { edge, before, after }: ChangeRecord,
  { refOf, carrierOf }: ChangeRendering,
): Pick<ChangeRecord, 'before' | 'after'> => {
  if (!edge) return { before, after };
  const sideOf = (statement: EdgeStatement | undefined) =>
    statement ? renderStatement(edge, statement, carrierOf, refOf) : null;
  return { before: sideOf(edge.before), after: sideOf(edge.after) };
};

const renderChange = (row: ChangeRecord, event: FoundEvent, rendering: ChangeRendering): JsonObject => {
  const { at, by, node, kind, change, column, breaking, version } = row;
  const { refOf } = rendering;
  return {
    at,
    by: by ?? event.by,
    entity: refOf(node),
    kind,
    change,
    ...(column
      ? { column: { fullyQualifiedName: column.fullyQualifiedName, name: column.name, entity: refOf(column.owner) } }
      : {}),
    ...renderSides(row, rendering),
    breaking,
    version,
    eventId: event.id,
  };
};

/** Renders one page of changes, with the events that are still kept. */
export const renderChanges = async (
  engine: Engine,
  call: Call,
  rows: readonly ChangeRecord[],
): Promise<readonly JsonObject[]> => {
  const view = createView(engine, call, NO_FIELDS);
  const carriers = rows.flatMap(({ edge }) => [edge?.before?.merged.pipelineId, edge?.after?.merged.pipelineId]);
  const [events, carrierOf] = await Promise.all([
    findEvents(engine, call, rows),
    readPipelineReferences({ engine }, call, carriers, view),
  ]);
  const rendering: ChangeRendering = { refOf: (node) => renderRef(node, view), carrierOf };
  return rows.map((row, at) => renderChange(row, events[at] ?? NO_EVENT, rendering));
};

/** Counts all changes by kind, and those that break something. */
export const summarizeChanges = (rows: readonly ChangeRecord[]): JsonObject => ({
  byKind: Object.fromEntries(CHANGE_KINDS.map((kind) => [kind, rows.filter((row) => row.kind === kind).length])),
  breaking: rows.filter(({ breaking }) => breaking).length,
});

const cellOf = (value: unknown): string =>
  value === null || value === undefined ? '' : typeof value === 'string' ? value : JSON.stringify(value);

const memberCell = (row: JsonObject, member: string, name: string): string =>
  cellOf((row[member] as JsonObject | undefined)?.[name]);

/** The columns of changes as CSV. */
export const CHANGE_CELLS: CsvColumns<JsonObject> = {
  at: (row) => cellOf(row['at']),
  by: (row) => cellOf(row['by']),
  entityType: (row) => memberCell(row, 'entity', 'type'),
  entity: (row) => memberCell(row, 'entity', 'fullyQualifiedName'),
  kind: (row) => cellOf(row['kind']),
  change: (row) => cellOf(row['change']),
  column: (row) => memberCell(row, 'column', 'fullyQualifiedName'),
  before: (row) => cellOf(row['before']),
  after: (row) => cellOf(row['after']),
  breaking: (row) => cellOf(row['breaking']),
  version: (row) => cellOf(row['version']),
  eventId: (row) => cellOf(row['eventId']),
};
