import { useQuery } from '@tanstack/react-query';
import { ask } from '../api/ask.ts';
import { ApiFailure } from '../api/failure.ts';
import { kindOf } from '../api/kinds.ts';
import type { NamedColumn } from './columns.ts';
import { readOwnColumnsBeside } from './graph-thread.ts';

/** Reads the columns of records without their records, whatever the kind calls them. */

/**
 * Reads the columns of a record, deleted or not, by its place in its collection. A record of a kind without columns is asked
 * for itself, so that one that is not there is told of as well.
 */
export const readColumnsAt = async (
  type: string,
  place: string,
  signal: AbortSignal,
): Promise<readonly NamedColumn[]> => {
  const kind = kindOf(type);
  if (kind === undefined) throw new ApiFailure(404, `There is no kind of record called ${type}`);
  return ask(`/v1/${kind.path}/${place}${kind.hasColumns ? '/columns' : ''}`, {
    query: { fields: kind.hasColumns ? 'tags' : undefined, include: 'all' },
    signal,
    parse: readOwnColumnsBeside,
  });
};

/** The columns of a record by its full name; none as long as there is no record to read. */
export const useColumnsOf = (asset: { readonly type: string; readonly fqn: string } | undefined) => {
  const { type = '', fqn = '' } = asset ?? {};
  return useQuery({
    queryKey: ['asset', type, fqn, 'columns'],
    queryFn: ({ signal }) => readColumnsAt(type, `name/${encodeURIComponent(fqn)}`, signal),
    enabled: asset !== undefined,
  });
};
