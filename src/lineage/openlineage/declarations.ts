import { createStep, STEP_ORDER } from '../../catalog/plan/step.ts';
import { CatalogError } from '../../errors.ts';
import { encodeProperty } from '../../graph/encode-property.ts';
import { deterministicUuid } from '../../model/checksum.ts';
import { withdrawOthers } from '../ingest/endpoint-pairs.ts';
import { captureOutcome, type EdgeRowOutcome } from '../ingest/row-outcome.ts';
import { type DeclaredLineage, openLineageNameKey, type ParsedEvent } from './event.ts';
import { type EventEdges, type IngestRoom, type Resolved, SOURCE } from './event-edges.ts';
import type { UnappliedFacet } from './facets/facet-report.ts';
import { claimDeclarations } from './queries.ts';
import { findResolved, needsEditLineage } from './resolve-names.ts';

/**
 * Decides which events declare all lineage of a job or dataset. Edges of a declaration have an asserter of their own,
 * so that a later declaration withdraws what it does not repeat, and nothing that runs, people or other jobs state.
 */

/**
 * What becomes of a declaration: it is the latest, it is late and says nothing any more, or its caller may only add to
 * what was declared.
 */
export type Declaration = 'latest' | 'late' | 'added';

/** Names no job or dataset, because who sees an edge may not see the job that declared it. */
export const declarationName = (declared: DeclaredLineage): string =>
  `declaration ${deterministicUuid(`${declared.of} ${openLineageNameKey(declared)}`)}`;

const LATE = 'a later event declared this lineage';

/** The claim of an event on the lineage that it declares; undefined when it declares none, or of nothing that is known. */
const claimOf = ({ edges: { engine } }: IngestRoom, { datasets, jobs, editable }: Resolved, event: ParsedEvent) => {
  const { declares, time } = event;
  const owner = declares && findResolved(declares.of === 'job' ? jobs : datasets, declares);
  if (!declares || !owner) return undefined;
  const { id } = owner.endpoint;
  const now = engine.clock();
  // An event from the future must not keep later ones from declaring anything.
  const at = Math.min(time ?? now, now);
  return { id, at, sourceName: declarationName(declares), isAllowed: !needsEditLineage(owner) || editable.has(id) };
};

/** Takes the lineage of a record for a declaration. Answers false when a later one has taken it. */
const take = async ({ edges: { engine } }: IngestRoom, { id, at }: { readonly id: string; readonly at: number }) => {
  const row = { id, declaredAt: encodeProperty(at) };
  const late = () => new CatalogError('conflict', LATE);
  const steps = [createStep(claimDeclarations, STEP_ORDER.lock, [row], late)];
  return 'value' in (await captureOutcome(() => engine.commit({ keys: [`declaration ${id}`], steps })));
};

const unapplied = ({ declares }: ParsedEvent, reason: string): readonly UnappliedFacet[] =>
  declares ? [{ ...declares, facet: 'lineage', reason }] : [];

/**
 * Takes the lineage that events declare, and gives their edges the name of the declaration. Of several in one request
 * about one job or dataset the latest counts, and the others have no edges.
 */
export const declareEvents = async (
  room: IngestRoom,
  resolved: Resolved,
  rows: readonly EdgeRowOutcome<EventEdges>[],
): Promise<readonly EdgeRowOutcome<EventEdges>[]> => {
  const claims = rows.map((row) => ('value' in row ? claimOf(room, resolved, row.value.event) : undefined));
  const latest = new Map<string, (typeof claims)[number]>();
  for (const claim of claims) {
    const other = claim && latest.get(claim.sourceName);
    if (claim?.isAllowed && claim.at >= (other?.at ?? 0)) latest.set(claim.sourceName, claim);
  }
  return Promise.all(
    rows.map(async (row, at): Promise<EdgeRowOutcome<EventEdges>> => {
      const claim = claims[at];
      if ('failure' in row || !claim) return row;
      const { sourceName } = claim;
      if (!claim.isAllowed) return { value: { ...row.value, declaration: 'added' } };
      const isTaken = latest.get(sourceName) === claim && (await take(room, claim));
      if (!isTaken) return { value: { ...row.value, edges: [], declaration: 'late' } };
      const edges = row.value.edges.map((edge) => ({ ...edge, details: { ...edge.details, sourceName } }));
      return { value: { ...row.value, edges, declaration: 'latest' } };
    }),
  );
};

/** Withdraws what was declared before and is not any more. Answers what of that could not be done. */
export const replaceDeclared = async (
  room: IngestRoom,
  resolved: Resolved,
  { event, edges, declaration }: EventEdges,
): Promise<readonly UnappliedFacet[]> => {
  const claim = declaration && claimOf(room, resolved, event);
  if (!claim) return [];
  if (declaration === 'added') return unapplied(event, 'not allowed to replace what was declared before');
  // Another process may have taken it meanwhile.
  if (declaration === 'late' || !(await take(room, claim))) return unapplied(event, LATE);
  const asserter = { source: SOURCE, sourceName: claim.sourceName };
  const isWhole = await withdrawOthers(room.edges, room.principal, asserter, edges);
  return isWhole ? [] : unapplied(event, 'not allowed to withdraw all that was declared before');
};
