import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ask } from '../api/ask.ts';
import { ApiFailure, describeFailure } from '../api/failure.ts';
import type { Schemas } from '../api/types.ts';
import { nameOfReference } from '../parts/asset-links.tsx';
import type { AgreementRow } from './agreement-choice.ts';

type Decision = 'confirm' | 'withdraw';

/** Decides on one edge. What refuses it is told in its row of the answer. */
const decideOn = async ({ from, to }: AgreementRow, decision: Decision): Promise<void> => {
  const json = { edges: [{ from: from.id, to: to.id }] };
  const answer = await ask<Schemas['BulkResult']>(`/v1/lineage/agreement/${decision}`, { method: 'POST', json });
  const [failed] = answer.failedRequest ?? [];
  if (failed) throw new ApiFailure(failed.status, failed.message ?? '');
};

/** Confirms an edge as a person, or withdraws what was observed. What would end the edge asks once more. */
export const DecisionButtons = ({ row }: { readonly row: AgreementRow }) => {
  const queries = useQueryClient();
  const [isAsking, setAsking] = useState(false);
  const { mutate, isPending, error } = useMutation({
    mutationFn: (decision: Decision) => decideOn(row, decision),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['agreement'] }),
    onSettled: () => setAsking(false),
  });
  const edge = `${nameOfReference(row.from)} to ${nameOfReference(row.to)}`;
  const endsEdge = row.state === 'observedOnly';
  const button = (title: string, onClick: () => void) => (
    <button
      type="button"
      className="button small"
      aria-label={`${title}: ${edge}`}
      disabled={isPending}
      onClick={onClick}
    >
      {title}
    </button>
  );
  return (
    <span className="row agreement-decisions">
      {isAsking && button('End the edge', () => mutate('withdraw'))}
      {isAsking && button('Keep it', () => setAsking(false))}
      {!isAsking && !row.declared.includes('Manual') && button('Confirm', () => mutate('confirm'))}
      {!isAsking &&
        row.observed.length > 0 &&
        button('Withdraw', () => (endsEdge ? setAsking(true) : mutate('withdraw')))}
      {error && (
        <span className="chip bad" role="alert">
          {describeFailure(error)}
        </span>
      )}
    </span>
  );
};
