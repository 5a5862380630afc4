import { type BulkResult, buildBulkResult } from '../../catalog/write/bulk.ts';
import { badRequest, CatalogError } from '../../errors.ts';
import { mapConcurrently } from '../../graph/map-concurrently.ts';
import { createOrder } from '../../graph/ordered-works.ts';
import { isArray, type Json, type JsonObject } from '../../model/json.ts';
import type { Endpoint } from '../endpoints.ts';
import {
  failedRow,
  type PassedRow,
  permitEdges,
  readEditableIds,
  type UpsertedRow,
  upsertRows,
} from '../ingest/edge-rows.ts';
import { endpointPairKey } from '../ingest/endpoint-pairs.ts';
import { captureOutcome, type EdgeRowOutcome } from '../ingest/row-outcome.ts';
import { readNodeVisibility } from '../node-visibility.ts';
import type { EdgePutOptions, ResolvedEdge } from '../write/put-edge.ts';
import { declarationName, declareEvents, replaceDeclared } from './declarations.ts';
import type { OpenLineageName, ParsedEvent } from './event.ts';
import { createEventBounds, type EventBounds } from './event-bounds.ts';
import { buildEventEdges, type EventEdges, flowJobs, type IngestRoom, type Resolved } from './event-edges.ts';
import { applyEventFacets } from './facets/apply-event.ts';
import type { UnappliedFacet } from './facets/facet-report.ts';
import { parseOpenLineageEvent } from './parse-event.ts';
import { findResolved, type ResolvedNames, resolveOpenLineageNames } from './resolve-names.ts';

/** The maximum number of events in one request. */
const MAX_EVENTS = 1000;

/** The maximum number of unknown columns that an answer names. */
const MAX_TOLD_COLUMNS = 1000;

/** Runs often omit members, such as columns in a start event; omitting them does not withdraw earlier assertions. */
const RUN_OPTIONS = { strictColumns: false, keepsUnsaid: true };

/** What a declaration omits is not so any more. */
const DECLARATION_OPTIONS = { strictColumns: false };

/** What an event came to: each of its datasets, and what of it was not understood. */
export type PassedEvent = PassedRow & {
  readonly datasets: readonly JsonObject[];
  /** Columns that are named by lineage and that their records do not have. */
  readonly unknownColumns?: readonly string[];
  /** Facets that were not applied, with the reason. */
  readonly unappliedFacets?: readonly UnappliedFacet[];
};

/** Merges edges of several events: the later event wins, and members it omits keep their earlier values. */
const mergeEdgeInputs = (earlier: ResolvedEdge | undefined, later: ResolvedEdge): ResolvedEdge => ({
  ...later,
  pipelineId: later.pipelineId ?? earlier?.pipelineId,
  details: { ...earlier?.details, ...later.details },
});

const unreadTexts = (rows: readonly UpsertedRow[]) => {
  const unread = rows.flatMap(({ unresolved = [] }) => unresolved);
  return [...new Map(unread.map((text) => [`${text.reason} ${text.text}`, text])).values()];
};

const buildPassedEvent = ({ name, datasets }: EventEdges, rows: readonly UpsertedRow[]): PassedEvent => {
  const isRead = rows.some(({ unresolved }) => unresolved !== undefined);
  const unknownColumns = [...new Set(rows.flatMap(({ unknown }) => unknown))].slice(0, MAX_TOLD_COLUMNS);
  return {
    request: name,
    status: 200,
    datasets,
    ...(isRead ? { unresolved: unreadTexts(rows) } : {}),
    ...(unknownColumns.length > 0 ? { unknownColumns } : {}),
  };
};

const edgeKey = (edge: ResolvedEdge): string => `${endpointPairKey(edge)} ${edge.details.sourceName ?? ''}`;

/** Writes the edges of events, what several events say of one edge together. Answers the outcome of each edge by its key. */
const writeEdges = async (
  { edges, principal, prepare }: IngestRoom,
  events: readonly EventEdges[],
  editable: ReadonlySet<string>,
): Promise<WrittenEdges> => {
  const byKey = new Map<string, ResolvedEdge>();
  for (const edge of events.flatMap((event) => event.edges))
    byKey.set(edgeKey(edge), mergeEdgeInputs(byKey.get(edgeKey(edge)), edge));
  const upsert = async (found: readonly ResolvedEdge[], options: EdgePutOptions) => {
    const rows = permitEdges(
      principal,
      found.map((value) => ({ value })),
      editable,
    );
    const outcomes = await upsertRows(edges, principal, rows, options, prepare);
    return found.map((edge, at) => [edgeKey(edge), outcomes[at]] as const);
  };
  const all = [...byKey.values()];
  const observed = all.filter(({ details }) => details.sourceName === undefined);
  const declared = all.filter(({ details }) => details.sourceName !== undefined);
  return new Map([...(await upsert(observed, RUN_OPTIONS)), ...(await upsert(declared, DECLARATION_OPTIONS))]);
};

const parseEvent = (body: Json, bounds: EventBounds): ParsedEvent => {
  const parsed = parseOpenLineageEvent(body);
  bounds.take(parsed);
  return parsed;
};

/** The job of an event, those of the runs above it, and those that its lineage names. */
const jobsOf = (event: ParsedEvent): readonly OpenLineageName[] =>
  [event.job, event.parent?.job, event.root?.job, ...flowJobs(event)].flatMap((job) =>
    job ? [{ namespace: job.namespace, name: job.name }] : [],
  );

type WrittenEdges = ReadonlyMap<string, EdgeRowOutcome<UpsertedRow> | undefined>;

/** An event whose edges are written. */
type WrittenEvent = { readonly built: EventEdges; readonly passed: PassedEvent };

const outcomeOf = (row: EdgeRowOutcome<EventEdges>, done: WrittenEdges): EdgeRowOutcome<WrittenEvent> => {
  if ('failure' in row) return row;
  const { value: built } = row;
  const own = built.edges.flatMap((edge) => done.get(edgeKey(edge)) ?? []);
  const failed = own.find((edge) => 'failure' in edge);
  if (failed) return failed;
  const written = own.flatMap((edge) => ('value' in edge ? [edge.value] : []));
  return { value: { built, passed: buildPassedEvent(built, written) } };
};

/** The number of events whose facets are applied at the same time. */
const FACET_CONCURRENCY = 8;

/** Replaces what was declared before, applies the facets of the events that passed, and tells what was not applied. */
const applyEvents = (
  room: IngestRoom,
  resolved: Resolved,
  rows: readonly EdgeRowOutcome<WrittenEvent>[],
): Promise<EdgeRowOutcome<PassedEvent>[]> => {
  const { edges, principal, stores } = room;
  const inOrder = createOrder();
  return mapConcurrently(rows, FACET_CONCURRENCY, async (row): Promise<EdgeRowOutcome<PassedEvent>> => {
    if ('failure' in row) return row;
    const { built, passed } = row.value;
    const [unapplied, declared] = await Promise.all([
      applyEventFacets({ engine: edges.engine, principal, stores }, resolved, inOrder, built.event),
      replaceDeclared(room, resolved, built),
    ]);
    const unappliedFacets = [...declared, ...unapplied];
    return { value: unappliedFacets.length === 0 ? passed : { ...passed, unappliedFacets } };
  });
};

const endpointsIn = (resolved: ResolvedNames, names: readonly OpenLineageName[]): readonly Endpoint[] =>
  names.flatMap((name) => findResolved(resolved, name)?.endpoint ?? []);

const ingestParsed = async (
  room: IngestRoom,
  events: readonly EdgeRowOutcome<ParsedEvent>[],
): Promise<readonly EdgeRowOutcome<PassedEvent>[]> => {
  const good = events.flatMap((event) => ('value' in event ? [event.value] : []));
  const { engine } = room.edges;
  const { principal } = room;
  const [datasets, jobs] = [good.flatMap((event) => [...event.datasets, ...event.tested]), good.flatMap(jobsOf)];
  const names = await resolveOpenLineageNames({ engine, namespaces: room.namespaces }, principal, datasets, jobs);
  const edited = good.flatMap((event) => [
    ...flowJobs(event),
    ...(event.declares?.of === 'job' ? [event.declares] : []),
  ]);
  const ends = [...endpointsIn(names.datasets, datasets), ...endpointsIn(names.jobs, edited)];
  const nodes = endpointsIn(names.jobs, jobs).map(({ node }) => node);
  const resolved = {
    ...names,
    editable: await readEditableIds(engine, principal, ends),
    seesJob: await readNodeVisibility(engine, principal, nodes),
  };
  const built = await Promise.all(
    events.map((event): Promise<EdgeRowOutcome<EventEdges>> | EdgeRowOutcome<EventEdges> =>
      'failure' in event ? event : captureOutcome(() => buildEventEdges(room, event.value, resolved)),
    ),
  );
  const declared = await declareEvents(room, resolved, built);
  const done = await writeEdges(
    room,
    declared.flatMap((one) => ('value' in one ? [one.value] : [])),
    resolved.editable,
  );
  return applyEvents(
    room,
    resolved,
    declared.map((one) => outcomeOf(one, done)),
  );
};

/**
 * Ingests events. Each succeeds or fails on its own, and their statements about one edge are merged into one assertion.
 * Declarations of one lineage take turns.
 */
const ingestAll = async (
  room: IngestRoom,
  bodies: readonly Json[],
): Promise<readonly EdgeRowOutcome<PassedEvent>[]> => {
  const bounds = createEventBounds();
  const events = await Promise.all(bodies.map((body) => captureOutcome(() => parseEvent(body, bounds))));
  const declared = events.flatMap((event) => ('value' in event ? (event.value.declares ?? []) : []));
  // All requests queue for them in the same order, so none waits for another in a circle.
  const inTurn = [...new Set(declared.map(declarationName))]
    .sort()
    .reduce<() => Promise<EdgeRowOutcome<PassedEvent>[]>>(
      (next, name) => () => room.edges.engine.serial(name, next),
      async () => [...(await ingestParsed(room, events))],
    );
  return inTurn();
};

/** Ingests one event; a failure becomes the answer. */
export const ingestOpenLineageEvent = async (room: IngestRoom, body: Json): Promise<PassedEvent> => {
  const [outcome] = await ingestAll(room, [body]);
  if (!outcome) throw new Error('an event had no outcome');
  if ('failure' in outcome) throw outcome.failure;
  return outcome.value;
};

/** Ingests many events; an invalid event fails without affecting the others. */
export const ingestEventList = (room: IngestRoom, body: Json): Promise<readonly EdgeRowOutcome<PassedEvent>[]> => {
  if (!isArray(body)) throw badRequest('[body must be a list]');
  if (body.length > MAX_EVENTS) {
    throw new CatalogError('payload_too_large', `[body must have at most ${MAX_EVENTS} events]`);
  }
  return ingestAll(room, body);
};

/** Ingests many events, and answers as all bulk operations do. */
export const ingestOpenLineageEvents = async (room: IngestRoom, body: Json): Promise<BulkResult> => {
  const outcomes = await ingestEventList(room, body);
  const events = body as readonly Json[];
  return buildBulkResult(
    outcomes.flatMap((row) => ('value' in row ? [row.value] : [])),
    outcomes.flatMap((row, at) => ('failure' in row ? [failedRow(events[at] ?? null, row.failure)] : [])),
    false,
  );
};
