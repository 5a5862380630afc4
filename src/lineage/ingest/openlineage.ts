import type { Principal } from '../../access/principal.ts';
import { type BulkResult, bulkResult } from '../../catalog/write/bulk.ts';
import { badRequest, CatalogError } from '../../errors.ts';
import type { Json } from '../../model/json.ts';
import type { LineageSource } from '../../model/lineage-values.ts';
import { fqnPart } from '../../model/name.ts';
import type { AskedMapping } from '../columns.ts';
import type { Edges } from '../edges.ts';
import type { Site } from '../ends.ts';
import type { Found } from '../put.ts';
import { type Dataset, type LineageEvent, mappingsBetween, nameKey, readEvent } from './openlineage-event.ts';
import { type Resolved, resolveNames } from './openlineage-names.ts';
import { type Outcome, outcomeOf } from './outcome.ts';
import { failedRow, type PassedRow, type Prepare, permitRows, sayRows } from './rows.ts';

const SOURCE: LineageSource = 'OpenLineage';

/** How many events one request may hold. */
const MOST_EVENTS = 1000;

/** What events leave out, such as the columns in the event of a start, they do not take back. */
const OPTIONS = { strictColumns: false, keepsUnsaid: true };

const siteIn = (resolved: Resolved, name: { readonly namespace: string; readonly name: string }): Site => {
  const outcome = resolved.get(nameKey(name));
  if (!outcome) throw new Error(`nobody looked for ${name.namespace} ${name.name}`);
  if ('failure' in outcome) throw outcome.failure;
  return outcome.value;
};

/** A field with a dot in its name is written as one name where the event says that it is one. */
const columnFqn = (site: Site, { fields = [] }: Dataset, field: string): string =>
  `${site.fullyQualifiedName}.${fields.some(({ name }) => name === field) ? fqnPart(field) : field}`;

const mappingsOf = (
  [from, input]: readonly [Site, Dataset],
  [to, output]: readonly [Site, Dataset],
): readonly AskedMapping[] | undefined =>
  mappingsBetween(input, output)?.map(({ from: fields, to: field, how }) => ({
    fromColumns: fields.map((name) => columnFqn(from, input, name)),
    toColumn: columnFqn(to, output, field),
    ...(how === undefined ? {} : { function: how }),
  }));

type Told = { readonly name: string; readonly edges: readonly Found[] };

/** The edges that an event tells of, from every input to every output. */
const edgesOf = (event: LineageEvent, datasets: Resolved, jobs: Resolved): Told => {
  const carrier = event.job && siteIn(jobs, event.job);
  const inputs = event.inputs.map((input) => [siteIn(datasets, input), input] as const);
  const outputs = event.outputs.map((output) => [siteIn(datasets, output), output] as const);
  const edges = outputs.flatMap((output) =>
    inputs.flatMap((input): Found[] => {
      const [from, to] = [input[0], output[0]];
      // A job that reads what it writes makes it from itself, which is no edge.
      if (from.id === to.id) return [];
      const columnsLineage = mappingsOf(input, output);
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

const pairOf = ({ from, to }: Found): string => `${from.id} ${to.id}`;

/** What a later event says of an edge counts, and what it leaves out stays as an earlier one said it. */
const joined = (earlier: Found | undefined, later: Found): Found => ({
  ...later,
  pipelineId: later.pipelineId ?? earlier?.pipelineId,
  details: { ...earlier?.details, ...later.details },
});

/** Takes in what events tell. Each stands or falls by itself; about one edge, all of them together are one word. */
const takeIn = async (
  edges: Edges,
  principal: Principal,
  bodies: readonly Json[],
  prepare: Prepare | undefined,
): Promise<readonly Outcome<PassedRow>[]> => {
  const events = await Promise.all(bodies.map((body) => outcomeOf(() => readEvent(body))));
  const good = events.flatMap((event) => ('value' in event ? [event.value] : []));
  const { datasets, jobs } = await resolveNames(
    edges.engine,
    principal,
    good.flatMap(({ inputs, outputs }) => [...inputs, ...outputs]),
    good.flatMap(({ job }) => job ?? []),
  );
  const told = await Promise.all(
    events.map((event): Promise<Outcome<Told>> | Outcome<Told> =>
      'failure' in event ? event : outcomeOf(() => edgesOf(event.value, datasets, jobs)),
    ),
  );
  const pairs = new Map<string, Found>();
  for (const one of told) {
    if ('failure' in one) continue;
    for (const edge of one.value.edges) pairs.set(pairOf(edge), joined(pairs.get(pairOf(edge)), edge));
  }
  const rows = [...pairs.values()].map((value) => ({ value }));
  const said = await sayRows(edges, principal, await permitRows(edges, principal, rows), OPTIONS, prepare);
  const done = new Map([...pairs.keys()].map((pair, at) => [pair, said[at]] as const));
  return told.map((one): Outcome<PassedRow> => {
    if ('failure' in one) return one;
    const own = one.value.edges.flatMap((edge) => done.get(pairOf(edge)) ?? []);
    const failed = own.find((row) => 'failure' in row);
    if (failed) return failed;
    const unread = own.flatMap((row) => ('value' in row ? (row.value.unresolved ?? []) : []));
    const isRead = own.some((row) => 'value' in row && row.value.unresolved !== undefined);
    const unresolved = [...new Map(unread.map((text) => [`${text.reason} ${text.text}`, text])).values()];
    return { value: { request: one.value.name, status: 200, ...(isRead ? { unresolved } : {}) } };
  });
};

/** Takes in one event; what is wrong with it is the answer. */
export const takeEvent = async (
  edges: Edges,
  principal: Principal,
  body: Json,
  prepare?: Prepare,
): Promise<PassedRow> => {
  const [outcome] = await takeIn(edges, principal, [body], prepare);
  if (!outcome) throw new Error('an event had no outcome');
  if ('failure' in outcome) throw outcome.failure;
  return outcome.value;
};

/** Takes in many events; a bad one fails alone. */
export const takeEvents = async (
  edges: Edges,
  principal: Principal,
  body: unknown,
  prepare?: Prepare,
): Promise<BulkResult> => {
  if (!Array.isArray(body)) throw badRequest('[body must be a list]');
  if (body.length > MOST_EVENTS) {
    throw new CatalogError('payload_too_large', `[body must have at most ${MOST_EVENTS} events]`);
  }
  const events = body as readonly Json[];
  const outcomes = await takeIn(edges, principal, events, prepare);
  return bulkResult(
    outcomes.flatMap((row) => ('value' in row ? [row.value] : [])),
    outcomes.flatMap((row, at) => ('failure' in row ? [failedRow(events[at] ?? null, row.failure)] : [])),
    false,
  );
};
