import { useEffect, useState } from 'react';
import { Link, useSearchParams } from 'wouter';
import { useSettled } from '../parts/use-settled.ts';
import { PeopleList } from '../people/people-list.tsx';
import { TeamList } from '../people/team-list.tsx';
import './asset.css';
import './people.css';

const PAUSE_MS = 200;

const VIEWS = [
  { view: 'people', title: 'People', find: 'Find a person' },
  { view: 'teams', title: 'Teams', find: 'Find a team' },
] as const;

const addressOf = (view: string, text: string): string => {
  const params = new URLSearchParams();
  if (view !== 'people') params.set('view', view);
  if (text !== '') params.set('q', text);
  return `/people?${params}`;
};

/** What is typed stands in the address after a pause, so that it can be shared. */
const useTypedName = (view: string) => {
  const [params, setParams] = useSearchParams();
  const text = params.get('q') ?? '';
  const [typed, setTyped] = useState(text);
  const settled = useSettled(typed.trim(), PAUSE_MS);
  // biome-ignore lint/correctness/useExhaustiveDependencies: only what was typed writes the address, not the address itself.
  useEffect(() => {
    if (settled === text) return;
    setParams(new URLSearchParams(addressOf(view, settled).split('?')[1]), { replace: true });
  }, [settled]);
  return { text: settled, typed, setTyped };
};

/** Everybody and every team that the caller may see. */
export const PeoplePage = () => {
  const [params] = useSearchParams();
  const chosen = VIEWS.find(({ view }) => view === params.get('view')) ?? VIEWS[0];
  const { text, typed, setTyped } = useTypedName(chosen.view);
  return (
    <div className="page stack people">
      <h1>People and teams</h1>
      <nav className="views" aria-label="People or teams">
        {VIEWS.map(({ view, title }) => (
          <Link key={view} href={addressOf(view, text)} aria-current={view === chosen.view ? 'page' : undefined}>
            {title}
          </Link>
        ))}
      </nav>
      <label className="field people-find">
        {chosen.find}
        <input type="search" value={typed} onChange={({ target }) => setTyped(target.value)} placeholder="Name" />
      </label>
      <section className="card stack" aria-label={chosen.title}>
        {chosen.view === 'people' ? <PeopleList text={text} /> : <TeamList text={text} />}
      </section>
    </div>
  );
};
