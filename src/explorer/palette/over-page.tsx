import { lazy, Suspense, useEffect, useState } from 'react';
import { useLocation } from 'wouter';
import { useRemembered } from '../parts/use-remembered.ts';
import { useSessionState } from '../session/session.ts';
import { chooseTheme } from '../session/theme.ts';
import type { Deed } from './commands.ts';
import { useRecent } from './recent.ts';
import { useKeys } from './use-keys.ts';

const loadPalette = () => import('./palette.tsx');
const Palette = lazy(async () => ({ default: (await loadPalette()).Palette }));
const KeyList = lazy(async () => ({ default: (await import('./key-list.tsx')).KeyList }));

/** The page itself is loaded first. */
const PRELOAD_MS = 1500;

/** How long a note stands over the page. */
const NOTE_MS = 3000;

/** A note that goes by itself. */
const usePassingNote = () => {
  const [note, setNote] = useState('');
  useEffect(() => {
    if (note === '') return;
    const timer = setTimeout(() => setNote(''), NOTE_MS);
    return () => clearTimeout(timer);
  }, [note]);
  return [note, setNote] as const;
};

/** Copies the address of the page, and answers what became of it. */
const copyAddress = async (): Promise<string> => {
  try {
    await navigator.clipboard.writeText(location.href);
    return 'The link is copied';
  } catch {
    return 'The browser does not allow to copy; the link is in its address bar';
  }
};

type OverPageProps = { readonly onSignOut: () => void };

/** What keys open over every page: the palette, and the list of keys. */
export const OverPage = ({ onSignOut }: OverPageProps) => {
  const [path] = useLocation();
  const [opened, setOpened] = useState<'palette' | 'keys'>();
  const [hasSigns, setSigns] = useRemembered('tributary.keys', true);
  const recent = useRecent(path);
  useEffect(() => {
    // Who presses the keys types on at once: the palette is there by then. What cannot be loaded now is asked for again.
    const timer = setTimeout(() => loadPalette().catch(() => undefined), PRELOAD_MS);
    return () => clearTimeout(timer);
  }, []);
  const [note, setNote] = usePassingNote();
  const close = () => setOpened(undefined);
  const acts = { openPalette: () => setOpened('palette'), openKeys: () => setOpened('keys'), hasSigns };
  // Whoever has to sign in once more does that first.
  const isInterrupted = useSessionState() === 'interrupted';
  useKeys(acts, opened !== undefined || isInterrupted);
  const doDeed = async (deed: Deed): Promise<void> => {
    if (deed === 'keys') setOpened('keys');
    else if (deed === 'signOut') onSignOut();
    else if (deed === 'copyLink') setNote(await copyAddress());
    else chooseTheme(deed);
  };
  return (
    <>
      <p role="status" className={note === '' ? 'visually-hidden' : 'passing-note'}>
        {note}
      </p>
      <Suspense fallback={null}>
        {opened === 'palette' && <Palette recent={recent} onDeed={doDeed} onClose={close} />}
        {opened === 'keys' && <KeyList hasSigns={hasSigns} onSigns={setSigns} onClose={close} />}
      </Suspense>
    </>
  );
};
