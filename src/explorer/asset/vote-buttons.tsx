import { useMutation, useQueryClient } from '@tanstack/react-query';
import { ask } from '../api/ask.ts';
import { type Asset, recordPath } from '../api/asset.ts';
import { describeFailure } from '../api/failure.ts';
import { kindOf } from '../api/kinds.ts';
import { useMe } from '../api/me.ts';
import type { Reference } from '../api/types.ts';

type Vote = 'votedUp' | 'votedDown';

const WAYS: readonly { readonly vote: Vote; readonly name: string; readonly path: string }[] = [
  { vote: 'votedUp', name: 'Useful', path: 'M8 3l4.5 5.5h-3V13h-3V8.5h-3z' },
  { vote: 'votedDown', name: 'Not useful', path: 'M8 13l4.5-5.5h-3V3h-3v4.5h-3z' },
];

/** Votes on a record, or takes the vote back. */
export const VoteButtons = ({ type, asset }: { readonly type: string; readonly asset: Asset }) => {
  const { data: me } = useMe();
  const queries = useQueryClient();
  const { votes } = asset;
  const hasVoted = (list: readonly Reference[] = []): boolean => list.some(({ id }) => id === me?.id);
  const mine = hasVoted(votes?.upVoters) ? 'votedUp' : hasVoted(votes?.downVoters) ? 'votedDown' : undefined;
  const { mutate, isPending, error } = useMutation({
    mutationFn: (vote: Vote) =>
      ask(`${recordPath(type, asset.id)}/vote`, {
        method: 'PUT',
        json: { updatedVoteType: vote === mine ? 'unVoted' : vote },
      }),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['asset', type] }),
  });
  if (!me || !votes || !kindOf(type)?.fields.includes('votes')) return null;
  return (
    <>
      {WAYS.map(({ vote, name, path }) => {
        const count = (vote === 'votedUp' ? votes.upVotes : votes.downVotes) ?? 0;
        return (
          <button
            key={vote}
            type="button"
            className="button vote"
            aria-pressed={vote === mine}
            aria-label={`${name}: ${count}`}
            title={name}
            disabled={isPending}
            onClick={() => mutate(vote)}
          >
            <svg width="16" height="16" viewBox="0 0 16 16" aria-hidden="true" focusable="false">
              <path d={path} fill="currentColor" />
            </svg>
            {count}
          </button>
        );
      })}
      {error && (
        <span className="chip bad" role="alert">
          {describeFailure(error)}
        </span>
      )}
    </>
  );
};
