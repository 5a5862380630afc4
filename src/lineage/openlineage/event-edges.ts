import type { Principal } from '../../access/principal.ts';
import { renderRef, type View } from '../../catalog/read/render.ts';
import type { JsonObject } from '../../model/json.ts';
import { fqnPart } from '../../model/name.ts';
import type { LineageSource } from '../../model/schemas/lineage/lineage.ts';
import type { ColumnMappingInput } from '../column-mappings.ts';
import type { Endpoint } from '../endpoints.ts';
import type { PrepareEdge } from '../ingest/edge-rows.ts';
import type { NodeVisibility } from '../node-visibility.ts';
import type { EdgeStore } from '../write/edge-store.ts';
import type { ResolvedEdge } from '../write/put-edge.ts';
import { namedForbidden } from './create-records.ts';
import type { NamespaceMap } from './dataset-homes.ts';
import type { Declaration } from './declarations.ts';
import {
  type FieldMapping,
  type FlowEnd,
  type OpenLineageFlow,
  type OpenLineageName,
  openLineageNameKey,
  type ParsedEvent,
} from './event.ts';
import type { FacetStores } from './facets/facet-room.ts';
import { needsEditLineage, type ResolvedName, type ResolvedNames } from './resolve-names.ts';

/** Builds the edges of events between the records that their names came to. */

/** What the names of events came to, the records whose lineage the caller may edit, and the jobs that they may see. */
export type Resolved = {
  readonly datasets: ResolvedNames;
  readonly jobs: ResolvedNames;
  readonly editable: ReadonlySet<string>;
  readonly seesJob: NodeVisibility;
};

export const SOURCE: LineageSource = 'OpenLineage';

const resolvedIn = (resolved: ResolvedNames, name: OpenLineageName): ResolvedName => {
  const outcome = resolved.get(openLineageNameKey(name));
  if (!outcome) throw new Error(`the dataset ${name.namespace} ${name.name} was not looked up`);
  if ('failure' in outcome) throw outcome.failure;
  return outcome.value;
};

const endpointIn = (resolved: ResolvedNames, name: OpenLineageName): Endpoint => resolvedIn(resolved, name).endpoint;

/** The jobs at which flows of an event begin or end. */
export const flowJobs = ({ flows }: ParsedEvent): readonly FlowEnd[] =>
  flows.flatMap(({ from, to }) => [from, to]).filter(({ is }) => is === 'job');

/**
 * Throws unless the caller may edit the lineage of all records that the ends of an event's flows were taken for, and may
 * see what its job was taken for.
 */
const requireEditable = (principal: Principal, event: ParsedEvent, resolved: Resolved): void => {
  const { datasets, editable, jobs, seesJob } = resolved;
  const job = event.job && resolvedIn(jobs, event.job);
  if (job?.matchedBy && !seesJob(job.endpoint.id)) throw namedForbidden(principal);
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

/** Finds what the ends of an event's flows are. */
const createSiteFinder = (event: ParsedEvent, { datasets, jobs }: Resolved): ((end: FlowEnd) => Site) => {
  const listed = new Map(
    event.datasets.map((one) => [openLineageNameKey(one), new Set(one.fields?.map(({ name }) => name))]),
  );
  return (end) =>
    end.is === 'job'
      ? { endpoint: endpointIn(jobs, end), listed: new Set() }
      : { endpoint: endpointIn(datasets, end), listed: listed.get(openLineageNameKey(end)) ?? new Set() };
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

/** An event, its edges and what is told of it. */
export type EventEdges = {
  readonly event: ParsedEvent;
  readonly name: string;
  readonly edges: readonly ResolvedEdge[];
  readonly datasets: readonly JsonObject[];
  readonly declaration?: Declaration | undefined;
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

const buildEdge = (
  carrier: Endpoint | undefined,
  sql: string | undefined,
  siteAt: (end: FlowEnd) => Site,
  flow: OpenLineageFlow,
): readonly ResolvedEdge[] => {
  const [source, target] = [siteAt(flow.from), siteAt(flow.to)];
  const [from, to] = [source.endpoint, target.endpoint];
  // A job that writes to its own input would be an edge from a record to itself, which does not exist.
  if (from.id === to.id) return [];
  const columnsLineage = flow.mappings && mapColumns(source, target, flow.mappings);
  // What hands on data itself does not run through a job besides.
  const isCarried = flow.from.is === 'dataset' && flow.to.is === 'dataset';
  const details = {
    source: SOURCE,
    ...(sql === undefined ? {} : { sqlQuery: sql }),
    ...(columnsLineage === undefined ? {} : { columnsLineage }),
  };
  return [{ from, to, pipelineId: isCarried ? carrier?.id : undefined, description: undefined, details }];
};

/** Builds the edges of an event, one for each of its flows. */
export const buildEventEdges = (room: IngestRoom, event: ParsedEvent, resolved: Resolved): EventEdges => {
  const { datasets, jobs } = resolved;
  requireEditable(room.principal, event, resolved);
  const carrier = event.job && endpointIn(jobs, event.job);
  const siteAt = createSiteFinder(event, resolved);
  const edges = event.flows.flatMap((flow) => buildEdge(carrier, event.sql, siteAt, flow));
  const told = new Map(event.datasets.map((one) => [openLineageNameKey(one), one]));
  const [first] = event.outputs;
  return {
    event,
    name: (carrier ?? (first && endpointIn(datasets, first)))?.fullyQualifiedName ?? '',
    edges,
    datasets: [...told.values()].map((one) => tellDataset(room, datasets, one)),
  };
};
