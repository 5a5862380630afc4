import { RichText } from '../parts/rich-text.tsx';
import { isoMoment, readableTime } from '../parts/times.ts';
import { sourceName } from './edge-facts.ts';
import { count } from './names.ts';
import { RecordLink } from './record-link.tsx';
import { SqlText } from './sql-text.tsx';
import type { Assertion } from './use-edge.ts';
import './edge-sources.css';

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
