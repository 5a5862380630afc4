import { useQuery } from '@tanstack/react-query';
import { ask } from '../api/ask.ts';
import type { LineageEdge, Schemas } from '../api/types.ts';
import { RichText } from '../parts/rich-text.tsx';
import { isoMoment, readableTime } from '../parts/times.ts';
import { sourceName } from './edge-facts.ts';
import { count } from './names.ts';
import { RecordLink } from './record-link.tsx';
import { SqlText } from './sql-text.tsx';
import './edge-sources.css';

/** What one source says of an edge. */
export type Assertion = Schemas['LineageAssertion'];

const Since = ({ assertion: { createdAt, createdBy, updatedAt, seenAt } }: { readonly assertion: Assertion }) => (
  <p className="quiet">
    {createdAt !== undefined && (
      <>
        since <time dateTime={isoMoment(createdAt)}>{readableTime(createdAt)}</time>
        {createdBy && ` by ${createdBy}`}
      </>
    )}
    {seenAt !== undefined && seenAt !== updatedAt && (
      <>
        {', last confirmed '}
        <time dateTime={isoMoment(seenAt)}>{readableTime(seenAt)}</time>
      </>
    )}
  </p>
);

const Source = ({ assertion }: { readonly assertion: Assertion }) => {
  const { pipeline, columnsLineage = [], sqlQuery, description } = assertion;
  return (
    <li>
      <p>
        <strong>{sourceName(assertion)}</strong>
        {columnsLineage.length > 0 && `, ${count(columnsLineage.length, 'column')}`}
        {pipeline && (
          <>
            {', by '}
            <RecordLink record={pipeline} />
          </>
        )}
      </p>
      <Since assertion={assertion} />
      {description && <RichText text={description} />}
      {sqlQuery && (
        <details>
          <summary>Its SQL</summary>
          <SqlText sql={sqlQuery} />
        </details>
      )}
    </li>
  );
};

/** Whether sources state the edge itself: not one that its assets or a pipeline between others make up. */
export const isStated = ({ fromEntity, toEntity, lineageDetails: details, bridged }: LineageEdge): boolean => {
  const carrier = details?.pipeline?.id;
  const isHalf = carrier !== undefined && (carrier === fromEntity || carrier === toEntity);
  return bridged !== true && !isHalf && details?.source !== undefined && details.source !== 'ChildAssets';
};

/** Reads who says today that an edge is there, the newest first; `isAsked` tells whether that is worth knowing. */
export const useEdgeSources = ({ fromEntity, toEntity }: LineageEdge, isAsked: boolean) =>
  useQuery({
    queryKey: ['edge sources', fromEntity, toEntity],
    queryFn: async ({ signal }) => {
      const path = `/v1/lineage/getLineageEdge/${fromEntity}/${toEntity}`;
      const { assertions = [] } = await ask<Schemas['LineageEdge']>(path, { query: { assertions: true }, signal });
      return assertions;
    },
    enabled: isAsked,
  });

/** Who says that an edge is there, with what each of them says. */
export const EdgeSources = ({ assertions }: { readonly assertions: readonly Assertion[] }) => (
  <>
    <h3>Said by {count(assertions.length, 'source')}</h3>
    <ul className="edge-sources">
      {assertions.map((assertion) => (
        <Source key={`${assertion.source} ${assertion.sourceName ?? ''}`} assertion={assertion} />
      ))}
    </ul>
  </>
);
