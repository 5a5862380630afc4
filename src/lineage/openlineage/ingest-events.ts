import type { Principal } from '../../access/principal.ts';
import { renderRef, type View } from '../../catalog/read/render.ts';
import { type BulkResult, buildBulkResult } from '../../catalog/write/bulk.ts';
import { badRequest, CatalogError } from '../../errors.ts';
import { mapConcurrently } from '../../graph/map-concurrently.ts';
import { isArray, type Json, type JsonObject } from '../../model/json.ts';
import { fqnPart } from '../../model/name.ts';
import type { LineageSource } from '../../model/schemas/lineage/lineage.ts';
import type { ColumnMappingInput } from '../column-mappings.ts';
import type { Endpoint } from '../endpoints.ts';
import {
  failedRow,
  type PassedRow,
  type PrepareEdge,
  permitEdges,
  readEditableIds,
  type UpsertedRow,
  upsertRows,
} from '../ingest/edge-rows.ts';
import { captureOutcome, type EdgeRowOutcome } from '../ingest/row-outcome.ts';
import type { EdgeStore } from '../write/edge-store.ts';
import type { ResolvedEdge } from '../write/put-edge.ts';
import { namedForbidden } from './create-records.ts';
import type { NamespaceMap } from './dataset-homes.ts';
import {
  type FieldMapping,
  type FlowEnd,
  type OpenLineageDataset,
  type OpenLineageFlow,
  type OpenLineageName,
  openLineageNameKey,
  type ParsedEvent,
} from './event.ts';
import { createEventBounds, type EventBounds } from './event-bounds.ts';
import { applyEventFacets, createOrder } from './facets/apply-event.ts';
import type { UnappliedFacet } from './facets/facet-report.ts';
import type { FacetStores } from './facets/facet-room.ts';
import { parseOpenLineageEvent } from './parse-event.ts';
import { needsEditLineage, type ResolvedName, type ResolvedNames, resolveOpenLineageNames } from './resolve-names.ts';
import { readVisibleIds } from './visible-refs.ts';

const SOURCE: LineageSource = 'OpenLineage';

/** The maximum number of events in one request. */
const MAX_EVENTS = 1000;

/** The maximum number of unknown columns that an answer names. */
const MAX_TOLD_COLUMNS = 1000;

/** Events often omit members, such as columns in a start event; omitting them does not withdraw earlier assertions. */
const OPTIONS = { strictColumns: false, keepsUnsaid: true };

/** What the names of events came to, the records whose lineage the caller may edit, and the jobs that they may see. */
type Resolved = {
  readonly datasets: ResolvedNames;
  readonly jobs: ResolvedNames;
  readonly editable: ReadonlySet<string>;
  readonly seenJobs: ReadonlySet<string>;
};

const resolvedIn = (resolved: ResolvedNames, name: OpenLineageName): ResolvedName => {
  const outcome = resolved.get(openLineageNameKey(name));
  if (!outcome) throw new Error(`the dataset ${name.namespace} ${name.name} was not looked up`);
  if ('failure' in outcome) throw outcome.failure;
  return outcome.value;
};

const endpointIn = (resolved: ResolvedNames, name: OpenLineageName): Endpoint => resolvedIn(resolved, name).endpoint;

/** The jobs at which flows of an event begin or end. */
const flowJobs = ({ flows }: ParsedEvent): readonly FlowEnd[] =>
  flows.flatMap(({ from, to }) => [from, to]).filter(({ is }) => is === 'job');

/**
 * Throws unless the caller may edit the lineage of all records that the ends of an event's flows were taken for, and may
 * see what its job was taken for.
 */
const requireEditable = (principal: Principal, event: ParsedEvent, resolved: Resolved): void => {
  const { datasets, editable, jobs, seenJobs } = resolved;
  const job = event.job && resolvedIn(jobs, event.job);
  if (job?.matchedBy && !seenJobs.has(job.endpoint.id)) throw namedForbidden(principal);
  const ends = [
    ...event.datasets.map((one) => resolvedIn(datasets, one)),
    ...flowJobs(event).map((one) => resolvedIn(jobs, one)),
  ];
  for (const found of ends)
    if (needsEditLineage(found) && !editable.has(found.endpoint.id)) throw namedForbidden(principal);
};

/** Tells which record a dataset is, why, or that it was created. */
const tellDataset = ({ view }: IngestRoom, resolved: ResolvedNames, { namespace, name }: OpenLineageName) => {
  const { endpoint, matchedBy } = resolvedIn(resolved, { namespace, name });
  const ref = renderRef(endpoint.node, view);
  return matchedBy === undefined ? { namespace, name, created: ref } : { namespace, name, matched: ref, by: matchedBy };
};

/** A dataset or job of an event with its record, and the names that its schema lists. */
type Site = { readonly endpoint: Endpoint; readonly listed: ReadonlySet<string> };

const siteOf = (resolved: ResolvedNames, dataset: OpenLineageDataset): Site => ({
  endpoint: endpointIn(resolved, dataset),
  listed: new Set(dataset.fields?.map(({ name }) => name)),
});

/** Finds what the ends of an event's flows are. */
const createSiteFinder = (event: ParsedEvent, { datasets, jobs }: Resolved): ((end: FlowEnd) => Site) => {
  const sites = new Map(event.datasets.map((one) => [openLineageNameKey(one), siteOf(datasets, one)]));
  return (end) => {
    if (end.is === 'job') return { endpoint: endpointIn(jobs, end), listed: new Set() };
    return sites.get(openLineageNameKey(end)) ?? siteOf(datasets, end);
  };
};

/**
 * Returns the full name of a column. A field name with a dot stays one name when the event's schema lists it as one
 * field.
 */
const columnFqn = ({ endpoint, listed }: Site, field: string): string =>
  `${endpoint.fullyQualifiedName}.${listed.has(field) ? fqnPart(field) : field}`;

const mapColumns = (from: Site, to: Site, mappings: readonly FieldMapping[]): readonly ColumnMappingInput[] =>
  mappings.map(({ from: fields, to: field, how }) => ({
    fromColumns: fields.map((name) => columnFqn(from, name)),
    toColumn: columnFqn(to, field),
    ...(how === undefined ? {} : { function: how }),
  }));

type EventEdges = {
  readonly name: string;
  readonly edges: readonly ResolvedEdge[];
  readonly datasets: readonly JsonObject[];
};

/** What an event came to: each of its datasets, and what of it was not understood. */
export type PassedEvent = PassedRow & {
  readonly datasets: readonly JsonObject[];
  /** Columns that are named by lineage and that their records do not have. */
  readonly unknownColumns?: readonly string[];
  /** Facets that were not applied, with the reason. */
  readonly unappliedFacets?: readonly UnappliedFacet[];
};

/** What the ingestion of events needs; the view renders the records of one caller. */
export type IngestRoom = {
  readonly edges: EdgeStore;
  readonly namespaces: NamespaceMap;
  readonly principal: Principal;
  readonly view: View;
  readonly stores: FacetStores;
  readonly prepare?: PrepareEdge | undefined;
};

type EventJob = { readonly carrier: Endpoint | undefined; readonly sql: string | undefined };

const buildEdge = (
  { carrier, sql }: EventJob,
  siteAt: (end: FlowEnd) => Site,
  flow: OpenLineageFlow,
): readonly ResolvedEdge[] => {
  const [source, target] = [siteAt(flow.from), siteAt(flow.to)];
  const [from, to] = [source.endpoint, target.endpoint];
  // A job that writes to its own input would be an edge from a record to itself, which does not exist.
  if (from.id === to.id) return [];
  const columnsLineage = flow.mappings && mapColumns(source, target, flow.mappings);
  // What hands on data itself does not run through a job besides.
  const isCarried = carrier !== undefined && flow.from.is === 'dataset' && flow.to.is === 'dataset';
  return [
    {
      from,
      to,
      pipelineId: isCarried ? carrier.id : undefined,
      description: undefined,
      details: {
        source: SOURCE,
        ...(sql === undefined ? {} : { sqlQuery: sql }),
        ...(columnsLineage === undefined ? {} : { columnsLineage }),
      },
    },
  ];
};

/** Builds the edges of an event, one for each of its flows. */
const buildEventEdges = (room: IngestRoom, event: ParsedEvent, resolved: Resolved): EventEdges => {
  const { datasets, jobs } = resolved;
  requireEditable(room.principal, event, resolved);
  const carrier = event.job && endpointIn(jobs, event.job);
  const siteAt = createSiteFinder(event, resolved);
  const edges = event.flows.flatMap((flow) => buildEdge({ carrier, sql: event.sql }, siteAt, flow));
  const told = new Map(event.datasets.map((one) => [openLineageNameKey(one), one]));
  const [first] = event.outputs;
  return {
    name: (carrier ?? (first && endpointIn(datasets, first)))?.fullyQualifiedName ?? '',
    edges,
    datasets: [...told.values()].map((one) => tellDataset(room, datasets, one)),
  };
};

const endpointPairKey = ({ from, to }: ResolvedEdge): string => `${from.id} ${to.id}`;

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

/** Writes the edges of events, what several events say of one edge together. Answers the outcome of each edge by its ends. */
const writeEdges = async (
  { edges, principal, prepare }: IngestRoom,
  events: readonly EventEdges[],
  editable: ReadonlySet<string>,
) => {
  const pairs = new Map<string, ResolvedEdge>();
  for (const edge of events.flatMap((event) => event.edges))
    pairs.set(endpointPairKey(edge), mergeEdgeInputs(pairs.get(endpointPairKey(edge)), edge));
  const rows = permitEdges(
    principal,
    [...pairs.values()].map((value) => ({ value })),
    editable,
  );
  const outcomes = await upsertRows(edges, principal, rows, OPTIONS, prepare);
  return new Map([...pairs.keys()].map((pair, at) => [pair, outcomes[at]] as const));
};

const parseEvent = (body: Json, bounds: EventBounds): ParsedEvent => {
  const parsed = parseOpenLineageEvent(body);
  bounds.take(parsed);
  return parsed;
};

/** The job of an event, that of its parent, and those that its lineage names. */
const jobsOf = (event: ParsedEvent): readonly OpenLineageName[] =>
  [event.job, event.parent?.job, ...flowJobs(event)].flatMap((job) =>
    job ? [{ namespace: job.namespace, name: job.name }] : [],
  );

type WrittenEdges = ReadonlyMap<string, EdgeRowOutcome<UpsertedRow> | undefined>;

const outcomeOf = (event: EdgeRowOutcome<EventEdges>, done: WrittenEdges): EdgeRowOutcome<PassedEvent> => {
  if ('failure' in event) return event;
  const own = event.value.edges.flatMap((edge) => done.get(endpointPairKey(edge)) ?? []);
  const failed = own.find((row) => 'failure' in row);
  if (failed) return failed;
  return {
    value: buildPassedEvent(
      event.value,
      own.flatMap((row) => ('value' in row ? [row.value] : [])),
    ),
  };
};

/** The number of events whose facets are applied at the same time. */
const FACET_CONCURRENCY = 8;

/** Applies the facets of the events that passed, and adds to their outcomes what was not applied. */
const applyFacets = (
  { edges: { engine }, principal, stores }: IngestRoom,
  resolved: Resolved,
  rows: readonly (readonly [EdgeRowOutcome<PassedEvent>, EdgeRowOutcome<ParsedEvent> | undefined])[],
): Promise<EdgeRowOutcome<PassedEvent>[]> => {
  const inOrder = createOrder();
  return mapConcurrently(rows, FACET_CONCURRENCY, async ([outcome, event]): Promise<EdgeRowOutcome<PassedEvent>> => {
    if ('failure' in outcome || event === undefined || 'failure' in event) return outcome;
    const unappliedFacets = await applyEventFacets({ engine, principal, stores }, resolved, inOrder, event.value);
    return unappliedFacets.length === 0 ? outcome : { value: { ...outcome.value, unappliedFacets } };
  });
};

const pickNames = (resolved: ResolvedNames, names: readonly OpenLineageName[]): ResolvedNames => {
  const keys = new Set(names.map(openLineageNameKey));
  return new Map([...resolved].filter(([key]) => keys.has(key)));
};

/**
 * Ingests events. Each succeeds or fails on its own, and their statements about one edge are merged into one assertion.
 */
const ingestAll = async (
  room: IngestRoom,
  bodies: readonly Json[],
): Promise<readonly EdgeRowOutcome<PassedEvent>[]> => {
  const bounds = createEventBounds();
  const events = await Promise.all(bodies.map((body) => captureOutcome(() => parseEvent(body, bounds))));
  const good = events.flatMap((event) => ('value' in event ? [event.value] : []));
  const { engine } = room.edges;
  const names = await resolveOpenLineageNames(
    { engine, namespaces: room.namespaces },
    room.principal,
    good.flatMap(({ datasets, tested }) => [...datasets, ...tested]),
    good.flatMap(jobsOf),
  );
  const endpointsOf = (named: ResolvedNames) =>
    [...named.values()].flatMap((one) => ('value' in one ? [one.value.endpoint] : []));
  const resolved = {
    ...names,
    editable: await readEditableIds(engine, room.principal, [
      ...endpointsOf(names.datasets),
      ...endpointsOf(pickNames(names.jobs, good.flatMap(flowJobs))),
    ]),
    seenJobs: await readVisibleIds(
      engine,
      room.principal,
      endpointsOf(names.jobs).map(({ node }) => node),
    ),
  };
  const parsed = await Promise.all(
    events.map((event): Promise<EdgeRowOutcome<EventEdges>> | EdgeRowOutcome<EventEdges> =>
      'failure' in event ? event : captureOutcome(() => buildEventEdges(room, event.value, resolved)),
    ),
  );
  const done = await writeEdges(
    room,
    parsed.flatMap((one) => ('value' in one ? [one.value] : [])),
    resolved.editable,
  );
  const outcomes = parsed.map((one) => outcomeOf(one, done));
  return applyFacets(
    room,
    resolved,
    outcomes.map((outcome, at) => [outcome, events[at]] as const),
  );
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
