import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import {
  type ContractSubject,
  deleteContract,
  findDeletedContract,
  type ReadContract,
  restoreContract,
} from '../api/contracts.ts';
import { Failure } from '../parts/states.tsx';

/** Deletes a contract after a second question, and restores one that was deleted. */

type DeleteProps = { readonly read: ReadContract; readonly assetId: string; readonly onEnd: () => void };

export const DeleteQuestion = ({ read, assetId, onEnd }: DeleteProps) => {
  const queries = useQueryClient();
  const [isForGood, setForGood] = useState(false);
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => deleteContract(read, isForGood),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: ['contract', assetId] });
      onEnd();
    },
  });
  const { name, displayName } = read.contract;
  return (
    <section className="notice bad stack" aria-label="Delete the contract">
      <p>Delete {displayName || name}? Its results are deleted with it.</p>
      <label className="check">
        <input type="checkbox" checked={isForGood} onChange={({ target }) => setForGood(target.checked)} />
        <span>For good, so that it cannot be restored</span>
      </label>
      {error && <Failure failure={error} />}
      <div className="row">
        <button type="button" className="button main" disabled={isPending} onClick={() => mutate()}>
          Delete it
        </button>
        <button type="button" className="button" onClick={onEnd}>
          Keep it
        </button>
      </div>
    </section>
  );
};

export const RestoreOffer = ({ subject }: { readonly subject: ContractSubject }) => {
  const queries = useQueryClient();
  const { data } = useQuery({
    queryKey: ['contract', subject.id, 'deleted'],
    queryFn: ({ signal }) => findDeletedContract(subject, signal),
  });
  const { mutate, isPending, error } = useMutation({
    mutationFn: restoreContract,
    onSuccess: () => queries.invalidateQueries({ queryKey: ['contract', subject.id] }),
  });
  if (!data) return null;
  return (
    <div className="notice">
      <p>This asset had a contract, which was deleted.</p>
      {error && <Failure failure={error} />}
      <button type="button" className="button" disabled={isPending} onClick={() => mutate(data)}>
        Restore it
      </button>
    </div>
  );
};
