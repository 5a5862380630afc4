import { useMutation, useQueryClient } from '@tanstack/react-query';
import { ask } from '../api/ask.ts';
import type { Asset } from '../api/asset.ts';
import { describeFailure } from '../api/failure.ts';
import { kindOf } from '../api/kinds.ts';
import { useMe } from '../api/me.ts';

/** Follows the asset, or no longer. */
export const FollowButton = ({ type, asset }: { readonly type: string; readonly asset: Asset }) => {
  const { data: me } = useMe();
  const queries = useQueryClient();
  const isFollowing = asset.followers?.some(({ id }) => id === me?.id) ?? false;
  const path = `/v1/${kindOf(type)?.path}/${asset.id}/followers`;
  const { mutate, isPending, error } = useMutation({
    mutationFn: () =>
      isFollowing ? ask(`${path}/${me?.id}`, { method: 'DELETE' }) : ask(path, { method: 'PUT', json: me?.id }),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: ['asset', type] });
      await queries.invalidateQueries({ queryKey: ['me'] });
    },
  });
  if (!me || !kindOf(type)?.fields.includes('followers')) return null;
  return (
    <>
      <button type="button" className="button" aria-pressed={isFollowing} disabled={isPending} onClick={() => mutate()}>
        {isFollowing ? 'Following' : 'Follow'} · {asset.followers?.length ?? 0}
      </button>
      {error && (
        <span className="chip bad" role="alert">
          {describeFailure(error)}
        </span>
      )}
    </>
  );
};
