import { lazy, Suspense } from 'react';
import { useMe } from '../api/me.ts';
import { Finder } from '../finder/finder.tsx';
import { Changed } from '../home/changed.tsx';
import { EmptyCatalog } from '../home/empty-catalog.tsx';
import { Failed } from '../home/failed.tsx';
import { Important } from '../home/important.tsx';
import { KindCounts } from '../home/kind-counts.tsx';
import { Followed, Owned, SavedSearchLinks } from '../home/mine.tsx';
import { useKindCounts } from '../home/use-kind-counts.ts';
import { PALETTE_KEYS } from '../palette/use-keys.ts';
import './home.css';

const Services = lazy(async () => ({ default: (await import('../home/services.tsx')).Services }));

const Hero = () => {
  const { data: me } = useMe();
  const { data: counts } = useKindCounts();
  return (
    <header className="hero">
      <div>
        <h1>Your catalog</h1>
        <p className="quiet">
          {me ? `Signed in as ${me.displayName || me.name}. ` : ''}Find data, see where it comes from and what depends
          on it.
        </p>
      </div>
      <div>
        <Finder />
        <p className="quiet hero-keys">
          <kbd>{PALETTE_KEYS}</kbd> goes to everything by its name, from any page; <kbd>?</kbd> lists the keys.
        </p>
      </div>
      <SavedSearchLinks />
      {counts && counts.length > 0 && <KindCounts counts={counts} />}
    </header>
  );
};

/** The start: what there is, what is mine, what failed and what changed. */
export const HomePage = () => {
  const { data: counts } = useKindCounts();
  return (
    <div className="page stack home-page">
      <Hero />
      {counts?.length === 0 ? (
        <EmptyCatalog />
      ) : (
        <>
          {counts && (
            <Suspense fallback={null}>
              <Services assets={counts.reduce((sum, { count }) => sum + count, 0)} />
            </Suspense>
          )}
          <div className="home">
            <div className="stack">
              <Important />
              <Owned />
              <Followed />
            </div>
            <div className="stack">
              <Failed />
              <Changed />
            </div>
          </div>
        </>
      )}
    </div>
  );
};
