import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ask } from '../../api/ask.ts';
import { type Asset, type ReadAsset, readAsset, recordPath } from '../../api/asset.ts';
import { ApiFailure } from '../../api/failure.ts';
import type { PatchOperation } from './patch.ts';

/** The record whose member is edited, as it was read last. */
export type Subject = { readonly type: string; readonly fqn: string; readonly read: ReadAsset };

/** What somebody else did to the record while this edit was typed. */
export type Conflict = { readonly before: Asset; readonly present: Asset };

/** The statuses by which the API refuses a change of a state that is no longer the present one. */
const isConflict = (failure: unknown): boolean =>
  failure instanceof ApiFailure && (failure.status === 412 || failure.status === 409);

type SaveOptions = {
  readonly subject: Subject;
  /** The state that the caller has seen. */
  readonly base: ReadAsset;
  /** The change, worked out anew for each state that it is applied to. */
  readonly build: (present: Asset) => readonly PatchOperation[];
  readonly onRebase: (base: ReadAsset) => void;
  readonly onSaved: () => void;
};

export const useSave = ({ subject: { type, fqn }, base, build, onRebase, onSaved }: SaveOptions) => {
  const queries = useQueryClient();
  const [conflict, setConflict] = useState<Conflict>();
  const { mutate, isPending, error } = useMutation({
    mutationFn: async () => {
      const operations = build(base.asset);
      if (operations.length === 0) return;
      await ask(recordPath(type, base.asset.id), {
        method: 'PATCH',
        mediaType: 'application/json-patch+json',
        headers: base.etag === undefined ? {} : { 'if-match': base.etag },
        json: operations,
      });
    },
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: ['asset', type, fqn] });
      for (const part of ['versions', 'activity', 'me'])
        await queries.invalidateQueries({ queryKey: part === 'me' ? [part] : [part, base.asset.id] });
      onSaved();
    },
    onError: async (failure) => {
      if (!isConflict(failure)) return;
      const present = await readAsset(type, fqn);
      setConflict({ before: base.asset, present: present.asset });
      onRebase(present);
    },
  });
  return {
    save: () => mutate(),
    isSaving: isPending,
    conflict: isConflict(error) ? conflict : undefined,
    failure: error && !isConflict(error) ? error : undefined,
  };
};
