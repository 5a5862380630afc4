import { useState } from 'react';
import { useMe } from '../api/me.ts';
import { createDraftStore } from './draft-store.ts';

/** The drafts of this tab. They outlive whatever ends the page before they are sent: a session that is over, a reload, a link. */
export const keptDrafts = createDraftStore(sessionStorage, Date.now);

/** A text in a field, kept under a name for who is signed in. The page has to know them before the field is shown. */
export const useKeptText = (name: string): readonly [string, (text: string) => void] => {
  const { data: me } = useMe();
  const place = { by: me?.id ?? '', name };
  const [text, setText] = useState(() => keptDrafts.read(place) ?? '');
  return [
    text,
    (next) => {
      setText(next);
      if (next === '' || me === undefined) keptDrafts.forget(place);
      else keptDrafts.keep(place, next);
    },
  ];
};
