import type { Principal } from '../../access/principal.ts';
import { type BulkResult, buildBulkResult } from '../../catalog/write/bulk.ts';
import { badRequest, CatalogError } from '../../errors.ts';
import type { Json } from '../../model/json.ts';
import { fqnPart } from '../../model/name.ts';
import type { LineageSource } from '../../model/schemas/lineage/lineage.ts';
import type { ColumnMappingInput } from '../column-mappings.ts';
import type { Endpoint } from '../endpoints.ts';
import type { EdgeStore } from '../write/edge-store.ts';
import type { ResolvedEdge } from '../write/put-edge.ts';
import { failedRow, type PassedRow, type PrepareEdge, permitRows, upsertRows } from './edge-rows.ts';
import {
  fieldMappingsBetween,
  type OpenLineageDataset,
  openLineageNameKey,
  type ParsedEvent,
  parseOpenLineageEvent,
} from './openlineage-event.ts';
import { type ResolvedNames, resolveOpenLineageNames } from './openlineage-names.ts';
import { captureOutcome, type EdgeRowOutcome } from './row-outcome.ts';

const SOURCE: LineageSource = 'OpenLineage';

/** The maximum number of events in one request. */
const MAX_EVENTS = 1000;

/** Events often omit members, such as columns in a start event; omitting them does not withdraw earlier assertions. */
const OPTIONS = { strictColumns: false, keepsUnsaid: true };

const endpointIn = (resolved: ResolvedNames, name: { readonly namespace: string; readonly name: string }): Endpoint => {
  const outcome = resolved.get(openLineageNameKey(name));
  if (!outcome) throw new Error(`the dataset ${name.namespace} ${name.name} was not looked up`);
  if ('failure' in outcome) throw outcome.failure;
  return outcome.value;
};

/**
 * Returns the full name of a column. A field name with a dot stays one name when the event's schema lists it as one
 * field.
 */
const columnFqn = (site: Endpoint, { fields = [] }: OpenLineageDataset, field: string): string =>
  `${site.fullyQualifiedName}.${fields.some(({ name }) => name === field) ? fqnPart(field) : field}`;

const mapColumns = (
  [from, input]: readonly [Endpoint, OpenLineageDataset],
  [to, output]: readonly [Endpoint, OpenLineageDataset],
): readonly ColumnMappingInput[] | undefined =>
  fieldMappingsBetween(input, output)?.map(({ from: fields, to: field, how }) => ({
    fromColumns: fields.map((name) => columnFqn(from, input, name)),
    toColumn: columnFqn(to, output, field),
    ...(how === undefined ? {} : { function: how }),
  }));

type EventEdges = { readonly name: string; readonly edges: readonly ResolvedEdge[] };

/** Builds the edges of an event, from every input to every output. */
const buildEventEdges = (event: ParsedEvent, datasets: ResolvedNames, jobs: ResolvedNames): EventEdges => {
  const carrier = event.job && endpointIn(jobs, event.job);
  const inputs = event.inputs.map((input) => [endpointIn(datasets, input), input] as const);
  const outputs = event.outputs.map((output) => [endpointIn(datasets, output), output] as const);
  const edges = outputs.flatMap((output) =>
    inputs.flatMap((input): ResolvedEdge[] => {
      const [from, to] = [input[0], output[0]];
      // A job that writes to its own input would be an edge from a record to itself, which does not exist.
      if (from.id === to.id) return [];
      const columnsLineage = mapColumns(input, output);
      return [
        {
          from,
          to,
          pipelineId: carrier?.id,
          description: undefined,
          details: {
            source: SOURCE,
            ...(event.sql === undefined ? {} : { sqlQuery: event.sql }),
            ...(columnsLineage === undefined ? {} : { columnsLineage }),
          },
        },
      ];
    }),
  );
  return { name: (carrier ?? outputs[0]?.[0])?.fullyQualifiedName ?? '', edges };
};

const endpointPairKey = ({ from, to }: ResolvedEdge): string => `${from.id} ${to.id}`;

/** Merges edges of several events: the later event wins, and members it omits keep their earlier values. */
const mergeEdgeInputs = (earlier: ResolvedEdge | undefined, later: ResolvedEdge): ResolvedEdge => ({
  ...later,
  pipelineId: later.pipelineId ?? earlier?.pipelineId,
  details: { ...earlier?.details, ...later.details },
});

/**
 * Ingests events. Each succeeds or fails on its own, and their statements about one edge are merged into one assertion.
 */
const ingestAll = async (
  edges: EdgeStore,
  principal: Principal,
  bodies: readonly Json[],
  prepare: PrepareEdge | undefined,
): Promise<readonly EdgeRowOutcome<PassedRow>[]> => {
  const events = await Promise.all(bodies.map((body) => captureOutcome(() => parseOpenLineageEvent(body))));
  const good = events.flatMap((event) => ('value' in event ? [event.value] : []));
  const { datasets, jobs } = await resolveOpenLineageNames(
    edges.engine,
    principal,
    good.flatMap(({ inputs, outputs }) => [...inputs, ...outputs]),
    good.flatMap(({ job }) => job ?? []),
  );
  const parsed = await Promise.all(
    events.map((event): Promise<EdgeRowOutcome<EventEdges>> | EdgeRowOutcome<EventEdges> =>
      'failure' in event ? event : captureOutcome(() => buildEventEdges(event.value, datasets, jobs)),
    ),
  );
  const pairs = new Map<string, ResolvedEdge>();
  for (const one of parsed) {
    if ('failure' in one) continue;
    for (const edge of one.value.edges)
      pairs.set(endpointPairKey(edge), mergeEdgeInputs(pairs.get(endpointPairKey(edge)), edge));
  }
  const rows = [...pairs.values()].map((value) => ({ value }));
  const outcomes = await upsertRows(edges, principal, await permitRows(edges, principal, rows), OPTIONS, prepare);
  const done = new Map([...pairs.keys()].map((pair, at) => [pair, outcomes[at]] as const));
  return parsed.map((one): EdgeRowOutcome<PassedRow> => {
    if ('failure' in one) return one;
    const own = one.value.edges.flatMap((edge) => done.get(endpointPairKey(edge)) ?? []);
    const failed = own.find((row) => 'failure' in row);
    if (failed) return failed;
    const unread = own.flatMap((row) => ('value' in row ? (row.value.unresolved ?? []) : []));
    const isRead = own.some((row) => 'value' in row && row.value.unresolved !== undefined);
    const unresolved = [...new Map(unread.map((text) => [`${text.reason} ${text.text}`, text])).values()];
    return { value: { request: one.value.name, status: 200, ...(isRead ? { unresolved } : {}) } };
  });
};

/** Ingests one event; a failure becomes the answer. */
export const ingestOpenLineageEvent = async (
  edges: EdgeStore,
  principal: Principal,
  body: Json,
  prepare?: PrepareEdge,
): Promise<PassedRow> => {
  const [outcome] = await ingestAll(edges, principal, [body], prepare);
  if (!outcome) throw new Error('an event had no outcome');
  if ('failure' in outcome) throw outcome.failure;
  return outcome.value;
};

/** Ingests many events; an invalid event fails without affecting the others. */
export const ingestOpenLineageEvents = async (
  edges: EdgeStore,
  principal: Principal,
  body: unknown,
  prepare?: PrepareEdge,
): Promise<BulkResult> => {
  if (!Array.isArray(body)) throw badRequest('[body must be a list]');
  if (body.length > MAX_EVENTS) {
    throw new CatalogError('payload_too_large', `[body must have at most ${MAX_EVENTS} events]`);
  }
  const events = body as readonly Json[];
  const outcomes = await ingestAll(edges, principal, events, prepare);
  return buildBulkResult(
    outcomes.flatMap((row) => ('value' in row ? [row.value] : [])),
    outcomes.flatMap((row, at) => ('failure' in row ? [failedRow(events[at] ?? null, row.failure)] : [])),
    false,
  );
};
