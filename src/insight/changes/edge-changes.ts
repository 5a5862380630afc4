import { type Assertion, decodeAssertion, type RawProperties } from '../../lineage/edge.ts';
import { mergeAssertions } from '../../lineage/merge-assertions.ts';
import type { ChangeName } from '../../model/schemas/insight/changes.ts';
import type { ChangeRecord, EdgeStatement } from './catalog-change.ts';
import type { TouchedEdgeRow } from './queries.ts';

/** Tells how an edge of lineage changed, by what its sources began and ceased to state. */

type TimedAssertion = Assertion & { readonly until: number };

const STILL_STATED = Number.POSITIVE_INFINITY;

const decodeTimed = (node: RawProperties): TimedAssertion => ({
  ...decodeAssertion(node),
  until: typeof node['until'] === 'number' ? node['until'] : STILL_STATED,
});

/** What was stated right before a moment, and what right after it. */
const statementAt = (
  assertions: readonly TimedAssertion[],
  at: number,
  side: 'before' | 'after',
): EdgeStatement | undefined => {
  const stated = assertions.filter(({ since, until }) =>
    side === 'before' ? since < at && until >= at : since <= at && until > at,
  );
  const merged = mergeAssertions(stated);
  return merged && { merged, sources: [...new Set(stated.map(({ source }) => source))].sort() };
};

/** What an edge says, without who says it since when. */
const contentOf = ({ merged, sources }: EdgeStatement): string => {
  const { sqlQuery, description, edgeDescription, mappings, pipelineId, tempLineageTables } = merged;
  return JSON.stringify([sources, sqlQuery, description, edgeDescription, mappings, pipelineId, tempLineageTables]);
};

type EdgeChangeName = Extract<ChangeName, 'edgeAdded' | 'edgeRemoved' | 'edgeChanged'>;

const nameChange = (
  before: EdgeStatement | undefined,
  after: EdgeStatement | undefined,
): EdgeChangeName | undefined => {
  if (!before) return after && 'edgeAdded';
  if (!after) return 'edgeRemoved';
  return contentOf(before) === contentOf(after) ? undefined : 'edgeChanged';
};

const EVENT_TYPES: Readonly<Record<EdgeChangeName, string>> = {
  edgeAdded: 'entityLineageAdded',
  edgeRemoved: 'entityLineageDeleted',
  edgeChanged: 'entityLineageUpdated',
};

/** The person behind a change: whoever stated something at that moment. Nothing is stored of who withdrew a statement. */
const authorAt = (assertions: readonly TimedAssertion[], at: number): string | null =>
  assertions.find(({ since }) => since === at)?.updatedBy ?? null;

export type ChangeWindow = { readonly from: number; readonly to: number };

/** Lists the changes of an edge within a time window. It is listed at its target when that is in the scope, else at its source. */
export const listEdgeChanges = (
  { from, to, assertions: nodes }: TouchedEdgeRow,
  window: ChangeWindow,
  isInScope: (record: TouchedEdgeRow['to']) => boolean,
): readonly ChangeRecord[] => {
  const assertions = nodes.map(decodeTimed);
  const moments = new Set(assertions.flatMap(({ since, until }) => [since, until]));
  return [...moments]
    .filter((at) => at >= window.from && at <= window.to)
    .flatMap((at): ChangeRecord[] => {
      const [before, after] = [statementAt(assertions, at, 'before'), statementAt(assertions, at, 'after')];
      const change = nameChange(before, after);
      if (!change) return [];
      return [
        {
          at,
          by: authorAt(assertions, at),
          node: isInScope(to) ? to : from,
          kind: 'lineage',
          change,
          before: null,
          after: null,
          edge: { from, to, before, after },
          breaking: change === 'edgeRemoved',
          version: null,
          event: { entityId: from.id, eventTypes: [EVENT_TYPES[change]], at },
        },
      ];
    });
};
