import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { assetAddress } from '../addresses.ts';
import { findPeople, type Person } from '../api/people.ts';
import { nameOfReference } from '../parts/asset-links.tsx';
import { PageRows } from '../parts/page-rows.tsx';
import { Failure, Nothing, Waiting } from '../parts/states.tsx';

const PAGE = 100;
/** The search answers nothing beyond this position. */
const LAST_POSITION = 10_000;
const ROW_HEIGHT = 62;
const MOST_TEAMS = 3;

const initialsOf = (label: string): string =>
  label
    .split(/\s+/)
    .filter(Boolean)
    .slice(0, 2)
    .map((word) => [...word][0]?.toUpperCase() ?? '')
    .join('');

const PersonRow = ({ person }: { readonly person: Person }) => (
  <div className="person">
    <span className="initials" aria-hidden="true">
      {initialsOf(person.label)}
    </span>
    <div className="person-name">
      <Link href={assetAddress('user', person.name)}>{person.label}</Link>
      <span className="quiet">{person.description || person.email}</span>
    </div>
    <div className="row person-teams">
      {person.isAdmin && <span className="chip accent">Administrator</span>}
      {person.teams.slice(0, MOST_TEAMS).map((team) => (
        <Link key={team.id} className="chip" href={assetAddress('team', team.fullyQualifiedName ?? team.name ?? '')}>
          {nameOfReference(team)}
        </Link>
      ))}
      {person.teams.length > MOST_TEAMS && <span className="quiet">and {person.teams.length - MOST_TEAMS} more</span>}
    </div>
  </div>
);

/** Everybody whom the caller may see, or whose name has the text. */
export const PeopleList = ({ text }: { readonly text: string }) => {
  const { data, error, refetch, fetchNextPage, hasNextPage, isFetchingNextPage } = useInfiniteQuery({
    queryKey: ['people', text],
    queryFn: ({ pageParam, signal }) => findPeople({ text, from: pageParam, size: PAGE }, signal),
    initialPageParam: 0,
    getNextPageParam: (last, pages) => {
      const next = pages.length * PAGE;
      return next < last.total && next + PAGE <= LAST_POSITION ? next : undefined;
    },
    placeholderData: keepPreviousData,
  });
  if (error) return <Failure failure={error} again={refetch} />;
  if (!data) return <Waiting what="the people" />;
  const people = data.pages.flatMap((page) => page.people);
  const total = data.pages[0]?.total ?? 0;
  if (people.length === 0)
    return <Nothing>{text === '' ? 'There is nobody whom you may see.' : `Nobody is called «${text}».`}</Nothing>;
  return (
    <>
      <p className="quiet" role="status">
        {total.toLocaleString()} {total === 1 ? 'person' : 'people'}
      </p>
      <PageRows
        label="List of people"
        count={people.length}
        rowHeight={ROW_HEIGHT}
        keyOf={(index) => people[index]?.id ?? index}
        row={(index) => {
          const person = people[index];
          return person && <PersonRow person={person} />;
        }}
        onNearEnd={() => hasNextPage && !isFetchingNextPage && fetchNextPage()}
      />
      {!hasNextPage && total > people.length && (
        <p className="notice">These are the first {people.length.toLocaleString()}. Others are found by their name.</p>
      )}
    </>
  );
};
