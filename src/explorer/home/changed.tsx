import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { assetAddress, changesAddress } from '../addresses.ts';
import { ask } from '../api/ask.ts';
import type { Hit } from '../api/hit.ts';
import { DATA_KINDS } from '../api/kinds.ts';
import { search } from '../api/search.ts';
import type { Schemas } from '../api/types.ts';
import { KindName } from '../parts/kind-name.tsx';
import { Failure, Nothing, Waiting } from '../parts/states.tsx';
import { formatAge, formatMoment, isoMoment } from '../parts/times.ts';
import { describeEventChange, latestEvents } from './changes.ts';
import { HomeSection } from './section.tsx';

const SHOWN = 8;
const EVENTS = 200;
const INDEX = [...DATA_KINDS, 'glossaryTerm', 'dataProduct'].join(',');

/** The assets that changed last. Deleted ones are among them as long as they can be restored. */
const useChanged = () =>
  useQuery({
    queryKey: ['changed'],
    queryFn: ({ signal }) =>
      search({ text: '*', index: INDEX, sort: 'changed', size: SHOWN, withDeleted: true }, signal),
  });

/** What happened to these assets. Events are kept for a while only, so that there may be none. */
const useEvents = (hits: readonly Hit[] | undefined) =>
  useQuery({
    queryKey: ['events of', hits?.map(({ id, updatedAt }) => `${id} ${updatedAt}`)],
    queryFn: async ({ signal }) => {
      const { data } = await ask<Schemas['ChangeEventList']>('/v1/events', {
        query: {
          entityId: hits?.map(({ id }) => id).join(','),
          timestamp: Math.min(...(hits ?? []).map(({ updatedAt = 0 }) => updatedAt)),
          limit: EVENTS,
        },
        signal,
      });
      return latestEvents(data);
    },
    enabled: hits !== undefined && hits.length > 0,
  });

type ChangeRowProps = { readonly hit: Hit; readonly event: Schemas['ChangeEvent'] | undefined };

const ChangeRow = ({ hit, event }: ChangeRowProps) => {
  const at = event?.timestamp ?? hit.updatedAt;
  const who = event?.userName ?? hit.updatedBy;
  const what = event ? describeEventChange(event) : hit.isDeleted ? 'deleted' : 'changed';
  return (
    <li>
      <div className="home-row-name">
        <Link href={`${assetAddress(hit.type, hit.fqn)}?view=versions`}>{hit.name}</Link>
        <span className="quiet home-row-detail">
          {who && (
            <>
              <Link href={assetAddress('user', who)}>{who}</Link>{' '}
            </>
          )}
          {what}
          {at !== undefined && (
            <>
              {', '}
              <time dateTime={isoMoment(at)} title={formatMoment(at)}>
                {formatAge(at, Date.now())}
              </time>
            </>
          )}
        </span>
      </div>
      {hit.isDeleted && <span className="chip bad">deleted</span>}
      <KindName type={hit.type} />
    </li>
  );
};

export const Changed = () => {
  const { data, error, refetch } = useChanged();
  const events = useEvents(data?.hits);
  return (
    <HomeSection title="What changed lately" more={<Link href={changesAddress()}>All changes</Link>}>
      {error && <Failure failure={error} again={refetch} />}
      {!data && !error && <Waiting what="the changes" />}
      {data?.hits.length === 0 && <Nothing>Nothing has changed that you may see.</Nothing>}
      {events.error && <Failure failure={events.error} again={events.refetch} />}
      <ul className="home-rows">
        {data?.hits.map((hit) => (
          <ChangeRow key={hit.id} hit={hit} event={events.data?.get(hit.id)} />
        ))}
      </ul>
    </HomeSection>
  );
};
