import { useQuery } from '@tanstack/react-query';
import { ask } from '../api/ask.ts';
import type { LineageEdge, LineageNode } from '../api/types.ts';
import { Failure, Waiting } from '../parts/states.tsx';
import { count } from './names.ts';
import { RecordLink } from './record-link.tsx';

/** What a bridge leads over: the records that the filters leave out, in the direction of the data. */

type Over = NonNullable<LineageEdge['over']>;

const useWay = (ids: readonly string[], asOf: string | undefined) =>
  useQuery({
    queryKey: ['lineage bridge', ids, asOf],
    queryFn: async ({ signal }) => {
      const query = { asOf, include: 'all', fields: 'name,displayName,fullyQualifiedName' };
      const options = { method: 'POST', json: { ids }, query, signal } as const;
      return (await ask<{ nodes: readonly LineageNode[] }>('/v1/lineage/graph', options)).nodes;
    },
  });

export const BridgeWay = ({ over, asOf }: { readonly over: Over; readonly asOf: string | undefined }) => {
  const { data, error, refetch, isPending } = useWay(over.ids, asOf);
  const more = over.count - over.ids.length;
  return (
    <section aria-label="What the bridge leads over">
      <p className="notice">A bridge over {count(over.count, 'asset')} that the filters leave out:</p>
      {error && <Failure failure={error} again={refetch} />}
      {isPending && <Waiting what="their names" />}
      {data && (
        <ol>
          {data.map((record) => (
            <li key={record.id}>
              <RecordLink record={record} />
            </li>
          ))}
        </ol>
      )}
      {more > 0 && <p className="quiet">And {more.toLocaleString()} more.</p>}
    </section>
  );
};
