import { useCallback, useEffect, useState } from 'react';

/**
 * Keeps the page there for screen readers while the list of a combobox is open. React Aria hides all that is beside the
 * list, but for what is marked so, although fields and buttons there can still take the focus.
 */

const KEPT = 'data-react-aria-top-layer';

const markPage = (isKept: boolean): void => {
  document.getElementById('root')?.toggleAttribute(KEPT, isKept);
};

/** What a combobox has to be given. The mark is there only while React Aria looks for it: it also keeps lists from closing. */
export const useOpenList = () => {
  const [isOpen, setOpen] = useState(false);
  useEffect(() => {
    // Effects of the combobox, which is inside of what calls this, have run by now.
    if (isOpen) markPage(false);
  }, [isOpen]);
  useEffect(() => () => markPage(false), []);
  const onOpenChange = useCallback((opens: boolean): void => {
    markPage(opens);
    setOpen(opens);
  }, []);
  return { onOpenChange };
};
