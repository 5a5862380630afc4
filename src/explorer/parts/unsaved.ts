/**
 * Work of this page that no service has yet. The browser asks before a page with such work is left; the page may load itself
 * anew without a question when all of it is kept.
 */

type UnsavedWork = {
  /** Keeps it for the page that comes next in this tab, and answers whether there was room. */
  readonly keep: () => boolean;
};

const works = new Set<UnsavedWork>();

const warn = (event: BeforeUnloadEvent): void => event.preventDefault();

/** Declares work, and answers how to say that it is saved or given up. */
export const declareUnsaved = (work: UnsavedWork): (() => void) => {
  works.add(work);
  addEventListener('beforeunload', warn);
  return () => {
    works.delete(work);
    if (works.size === 0) removeEventListener('beforeunload', warn);
  };
};

/** Loads the page anew when nothing gets lost by it. */
export const reloadKeepingWork = (): boolean => {
  if (![...works].map(({ keep }) => keep()).every((isKept) => isKept)) return false;
  removeEventListener('beforeunload', warn);
  location.reload();
  return true;
};
