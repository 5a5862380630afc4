import { useInfiniteQuery } from '@tanstack/react-query';
import { useCallback } from 'react';
import { Link } from 'wouter';
import { assetAddress } from '../addresses.ts';
import type { Asset } from '../api/asset.ts';
import type { Person } from '../api/people.ts';
import { nameOfReference } from '../parts/asset-links.tsx';
import { Failure, Waiting } from '../parts/states.tsx';
import { ListHeading } from './list-heading.tsx';
import { LongList } from './long-list.tsx';
import { PEOPLE_PAGE, readTeamPeople } from './team-people.ts';

/** The people of a team and of the teams below it; whoever belongs to one below has its name beside. */

const useTeamPeople = (id: string) =>
  useInfiniteQuery({
    queryKey: ['people of team', id],
    queryFn: ({ pageParam, signal }) => readTeamPeople(id, pageParam, signal),
    initialPageParam: 0,
    getNextPageParam: (last, pages) =>
      pages.length * PEOPLE_PAGE < last.total ? pages.length * PEOPLE_PAGE : undefined,
  });

const MemberRow = ({ person, teamId }: { readonly person: Person; readonly teamId: string }) => {
  const isOwn = person.teams.some(({ id }) => id === teamId);
  return (
    <>
      <Link href={assetAddress('user', person.name)}>{person.label}</Link>
      <span className="row-note">{person.description || person.email}</span>
      {!isOwn &&
        person.teams.map((team) => (
          <Link key={team.id} className="chip" href={assetAddress('team', team.fullyQualifiedName ?? team.name ?? '')}>
            {nameOfReference(team)}
          </Link>
        ))}
    </>
  );
};

export const TeamMembers = ({ asset }: { readonly asset: Asset }) => {
  const { data, error, refetch, fetchNextPage, hasNextPage, isFetching } = useTeamPeople(asset.id);
  const goOn = useCallback(() => {
    if (!isFetching) fetchNextPage();
  }, [isFetching, fetchNextPage]);
  const people = data?.pages.flatMap((page) => page.people) ?? [];
  const belowCut = data?.pages[0]?.belowCut ?? 0;
  return (
    <section className="card stack" aria-label="People">
      <ListHeading title="People" total={data?.pages[0]?.total} />
      {error && <Failure failure={error} again={refetch} />}
      {!data && !error && <Waiting what="the people" />}
      {people.length > 0 && (
        <LongList
          label="List: people"
          items={people}
          keyOf={({ id }) => id}
          onEnd={hasNextPage ? goOn : undefined}
          row={(person) => <MemberRow person={person} teamId={asset.id} />}
        />
      )}
      {belowCut > 0 && (
        <p className="quiet">
          These belong to the team itself. The people of the {belowCut.toLocaleString()} teams below it stand on their
          pages.
        </p>
      )}
    </section>
  );
};
