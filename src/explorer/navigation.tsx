import { useEffect, useState } from 'react';
import { Link, useLocation } from 'wouter';
import { useMe } from './api/me.ts';

/** The pages that a visitor goes to from anywhere. */
export type Destination = { readonly href: string; readonly title: string; readonly isForAdmins?: boolean };

const DESTINATIONS: readonly Destination[] = [
  { href: '/', title: 'Home' },
  { href: '/search', title: 'Search' },
  { href: '/changes', title: 'Changes' },
  { href: '/catalog-health', title: 'Health' },
  { href: '/people', title: 'People' },
  { href: '/ask', title: 'Ask' },
  { href: '/audit', title: 'Audit log', isForAdmins: true },
];

export const useDestinations = (): readonly Destination[] => {
  const { data: me } = useMe();
  return DESTINATIONS.filter(({ isForAdmins }) => !isForAdmins || me?.isAdmin === true);
};

const Links = () => {
  const [path] = useLocation();
  return useDestinations().map(({ href, title }) => (
    <Link key={href} href={href} aria-current={path === href ? 'page' : undefined}>
      {title}
    </Link>
  ));
};

export type Menu = { readonly isOpen: boolean; readonly toggle: () => void };

/** The menu closes when a page is reached, and by Escape. */
export const useMenu = (): Menu => {
  const [path] = useLocation();
  const [openAt, setOpenAt] = useState<string>();
  const isOpen = openAt === path;
  useEffect(() => {
    if (!isOpen) return;
    const onKeyDown = ({ key }: KeyboardEvent) => key === 'Escape' && setOpenAt(undefined);
    addEventListener('keydown', onKeyDown);
    return () => removeEventListener('keydown', onKeyDown);
  }, [isOpen]);
  return { isOpen, toggle: () => setOpenAt(isOpen ? undefined : path) };
};

/** Where to go: links beside the mark where there is room, and behind a button where there is not. */
export const Navigation = ({ menu: { isOpen, toggle } }: { readonly menu: Menu }) => (
  <>
    <button type="button" className="button menu-button" aria-expanded={isOpen} onClick={toggle}>
      Menu
    </button>
    <nav className="menu" aria-label="Pages">
      <Links />
    </nav>
  </>
);
