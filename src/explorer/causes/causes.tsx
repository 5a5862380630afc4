import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { assetAddress, pathsAddress } from '../addresses.ts';
import { ask } from '../api/ask.ts';
import { GrowingList } from '../parts/growing-list.tsx';
import { KindName } from '../parts/kind-name.tsx';
import { Failure, Nothing, Waiting } from '../parts/states.tsx';
import { formatMoment, isoMoment, readableTime } from '../parts/times.ts';
import { describeCover, describeDepth, endOfTrail, type RootCause, type Suspect } from './describe-suspect.ts';
import './causes.css';

/** How many suspects are shown at first, and how many more at once. */
const STEP = 5;

const useCauses = (id: string) =>
  useQuery({
    queryKey: ['causes of', id],
    queryFn: ({ signal }) => ask<RootCause>('/v1/lineage/root-cause', { query: { id }, signal }),
  });

const Evidence = ({ evidence }: Pick<Suspect, 'evidence'>) => (
  <ul className="evidence">
    {evidence.map(({ at, kind, text }) => (
      <li key={`${at} ${kind} ${text}`}>
        {text}
        {', '}
        <time className="quiet" dateTime={isoMoment(at)} title={formatMoment(at)}>
          {readableTime(at)}
        </time>
      </li>
    ))}
  </ul>
);

type SuspectProps = { readonly suspect: Suspect; readonly cause: RootCause };

const SuspectRow = ({ suspect, cause }: SuspectProps) => {
  const { entity, depth, evidence } = suspect;
  const end = endOfTrail(suspect, cause);
  const [type, fqn] = [entity.type ?? '', entity.fullyQualifiedName ?? ''];
  return (
    <div className="suspect">
      <p className="row">
        <Link href={assetAddress(type, fqn)}>{fqn}</Link> <KindName type={type} />
        <span className="quiet">{describeDepth(suspect)}</span>
        <span className="chip">{describeCover(suspect, cause.failures.length)}</span>
      </p>
      <Evidence evidence={evidence} />
      {depth > 0 && end && <Link href={pathsAddress({ type, fqn }, end)}>Show the way</Link>}
    </div>
  );
};

const Suspects = ({ cause }: { readonly cause: RootCause }) => {
  const { failures, suspects, truncated } = cause;
  if (failures.length === 0) return <Nothing>Nothing fails here, or in what it is made from.</Nothing>;
  if (suspects.length === 0) return <Nothing>Nothing is known to have happened upstream before it failed.</Nothing>;
  return (
    <>
      <p className="quiet">
        What happened upstream before the first of{' '}
        {failures.length === 1 ? 'one failure' : `${failures.length} failures`}, the most likely cause first.
        {truncated && ' There is too much lineage to look at all of it.'}
      </p>
      <GrowingList
        className="suspects"
        items={suspects}
        keyOf={({ entity }) => entity.id ?? ''}
        row={(suspect) => <SuspectRow suspect={suspect} cause={cause} />}
        step={STEP}
      />
    </>
  );
};

/** What may be the cause of failures around an asset, or of a failing test or contract. */
export const Causes = ({ id }: { readonly id: string }) => {
  const { data, error, refetch } = useCauses(id);
  return (
    <section className="card stack" aria-label="Likely causes">
      <h2>Likely causes</h2>
      {error && <Failure failure={error} again={refetch} />}
      {!data && !error && <Waiting what="the causes" />}
      {data && <Suspects cause={data} />}
    </section>
  );
};
