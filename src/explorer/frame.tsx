import { type ReactNode, useRef, useState } from 'react';
import { Link, useLocation } from 'wouter';
import { assetAddress } from './addresses.ts';
import { useMe } from './api/me.ts';
import { Finder } from './finder/finder.tsx';
import { Navigation, useMenu } from './navigation.tsx';
import { OverPage } from './palette/over-page.tsx';
import { Mark } from './parts/brand.tsx';
import { ThemeChoice } from './parts/theme-choice.tsx';
import { signOut } from './session/session.ts';

/** Pages with a search box of their own, which is larger than that of the bar. */
const PAGES_WITH_BOX = ['/', '/search'];

/** What surrounds every page: the mark, the pages, the search box, and who is signed in. */
export const Frame = ({ children }: { readonly children: ReactNode }) => {
  const { data: me } = useMe();
  const [path] = useLocation();
  const main = useRef<HTMLElement>(null);
  const menu = useMenu();
  const [isStillIn, setStillIn] = useState(false);
  const signedInAs = `Signed in as ${me?.displayName || me?.name}`;
  const leave = async () => setStillIn(!(await signOut()));
  return (
    <div className="frame">
      <header className={menu.isOpen ? 'bar menu-open' : 'bar'}>
        <button type="button" className="button skip" onClick={() => main.current?.focus()}>
          Skip to the page
        </button>
        <Link href="/" className="brand">
          <Mark /> Tributary
        </Link>
        <Navigation menu={menu} />
        {!PAGES_WITH_BOX.includes(path) && <Finder />}
        <div className="end">
          {me && (
            <Link className="me" href={assetAddress('user', me.name)} aria-label={signedInAs} title={signedInAs}>
              {me.displayName || me.name}
            </Link>
          )}
          <ThemeChoice />
          <a className="button" href="/docs">
            API
          </a>
          <button type="button" className="button" onClick={leave}>
            Sign out
          </button>
        </div>
      </header>
      {isStillIn && (
        <p className="notice bad" role="alert">
          You are still signed in: the service did not answer. Try again before you leave.
        </p>
      )}
      <OverPage onSignOut={leave} />
      <main ref={main} tabIndex={-1}>
        {children}
      </main>
    </div>
  );
};
