import { useEffect, useMemo, useState } from 'react';
import type { ReadContract } from '../api/contracts.ts';
import type { DraftPlace } from '../parts/draft-store.ts';
import { keptDrafts } from '../parts/kept-text.ts';
import { declareUnsaved } from '../parts/unsaved.ts';
import { type ContractForm, changedMembers, emptyForm, type Merge, mergeForms, toForm } from './form.ts';

/** A contract while it is edited: what was read, and what has been typed since, which outlives the page as long as the tab. */

export type ContractDraft = {
  /** The stored contract that the form started from; absent for a new one. */
  readonly read: ReadContract | null;
  readonly base: ContractForm;
  readonly form: ContractForm;
  /** What came of bringing the form onto a contract that somebody else changed. */
  readonly merge?: Pick<Merge, 'taken' | 'conflicts'>;
  readonly isRestored: boolean;
};

type KeptDraft = { readonly etag: string | undefined; readonly base: ContractForm; readonly form: ContractForm };

const baseOf = (read: ReadContract | null, name: string): ContractForm =>
  read === null ? emptyForm(name) : toForm(read.contract);

/** Brings a form onto the contract that is stored now. */
const rebase = (base: ContractForm, form: ContractForm, read: ReadContract): Omit<ContractDraft, 'isRestored'> => {
  const theirs = toForm(read.contract);
  // The name of a stored contract does not change.
  const { form: merged, taken, conflicts } = mergeForms(base, { ...form, name: theirs.name }, theirs);
  return { read, base: theirs, form: merged, merge: { taken, conflicts } };
};

const readDraft = (keptText: string | undefined): KeptDraft | undefined => {
  if (keptText === undefined) return undefined;
  try {
    return JSON.parse(keptText) as KeptDraft;
  } catch {
    return undefined;
  }
};

const startDraft = (read: ReadContract | null, name: string, keptText: string | undefined): ContractDraft => {
  const kept = readDraft(keptText);
  const base = baseOf(read, name);
  if (kept === undefined) return { read, base, form: base, isRestored: false };
  if (read === null) return { read, base, form: kept.form, isRestored: true };
  if (kept.etag === read.etag) return { read, base, form: kept.form, isRestored: true };
  return { ...rebase(kept.base, kept.form, read), isRestored: true };
};

/** Where the contract of an asset is kept while somebody types it. */
export const draftPlace = (subjectId: string, by: string): DraftPlace => ({ by, name: `contract ${subjectId}` });

type DraftSource = {
  readonly subjectId: string;
  readonly read: ReadContract | null;
  /** Name of a contract that is new. */
  readonly name: string;
  /** Who is typing. */
  readonly by: string;
};

export const useContractDraft = ({ subjectId, read, name, by }: DraftSource) => {
  const place = useMemo(() => draftPlace(subjectId, by), [subjectId, by]);
  const [draft, setDraft] = useState(() => startDraft(read, name, keptDrafts.read(place)));
  const [isKept, setKept] = useState(true);
  const changed = useMemo(() => changedMembers(draft.base, draft.form), [draft.base, draft.form]);
  const isChanged = changed.length > 0;
  useEffect(() => {
    if (!isChanged) return keptDrafts.forget(place);
    const { read: from, base, form } = draft;
    setKept(keptDrafts.keep(place, JSON.stringify({ etag: from?.etag, base, form } satisfies KeptDraft)));
  }, [draft, isChanged, place]);
  useEffect(() => (isChanged ? declareUnsaved({ keep: () => isKept }) : undefined), [isChanged, isKept]);
  return {
    draft,
    changed,
    isKept,
    setForm: (change: Partial<ContractForm>) =>
      setDraft((former) => ({ ...former, form: { ...former.form, ...change } })),
    rebaseOn: (present: ReadContract) =>
      setDraft(({ base, form, isRestored }) => ({ ...rebase(base, form, present), isRestored })),
    discard: () => {
      keptDrafts.forget(place);
      const base = baseOf(draft.read, name);
      setDraft({ read: draft.read, base, form: base, isRestored: false });
    },
    forget: () => keptDrafts.forget(place),
  };
};
