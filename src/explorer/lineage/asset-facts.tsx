import { useQuery } from '@tanstack/react-query';
import { ask } from '../api/ask.ts';
import type { LineageGraph, LineageNode } from '../api/types.ts';
import { Labels } from '../asset/labels.tsx';
import { RichText } from '../parts/rich-text.tsx';
import { formatDay } from '../parts/times.ts';

/** What a graph does not say of each of its records, because it is long or costs a read of its own: asked for one of them. */

const readFacts = async (id: string, signal: AbortSignal): Promise<LineageNode | null> => {
  const { nodes } = await ask<Pick<LineageGraph, 'nodes'>>('/v1/lineage/graph', {
    method: 'POST',
    json: { ids: [id] },
    query: { fields: 'description,serviceType,tableType,tags,certification', include: 'all' },
    signal,
  });
  return nodes[0] ?? null;
};

const useFacts = (id: string) =>
  useQuery({ queryKey: ['lineage facts', id], queryFn: ({ signal }) => readFacts(id, signal) }).data;

export const AssetDescription = ({ id }: Pick<LineageNode, 'id'>) => {
  const description = useFacts(id)?.description;
  return description ? <RichText text={description} /> : null;
};

/** Entries of a list of facts about a record. They come when they are known; the rest of the list needs none of them. */
export const AssetFacts = ({ id }: Pick<LineageNode, 'id'>) => {
  const data = useFacts(id);
  if (!data) return null;
  const { serviceType, tableType, tags = [], certification } = data;
  return (
    <>
      {serviceType && (
        <>
          <dt>Service type</dt>
          <dd>{serviceType}</dd>
        </>
      )}
      {tableType && (
        <>
          <dt>Table type</dt>
          <dd>{tableType}</dd>
        </>
      )}
      {tags.length > 0 && (
        <>
          <dt>Tags</dt>
          <dd>
            <Labels labels={tags} none="None" />
          </dd>
        </>
      )}
      {certification && (
        <>
          <dt>Certification</dt>
          <dd>
            <Labels labels={[certification.tagLabel]} none="None" /> until {formatDay(certification.expiryDate)}
          </dd>
        </>
      )}
    </>
  );
};
