import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ask } from '../api/ask.ts';
import type { Schemas } from '../api/types.ts';
import { Failure } from '../parts/states.tsx';
import type { Change } from './choice.ts';
import { IMPACT_GROUPINGS, type ImpactGrouping, nameGroup, summarizeGroups } from './impact-grouping.ts';
import { count } from './names.ts';

/** What a change affects, counted by whatever somebody chooses. */

type GroupsProps = { readonly id: string; readonly change: Change; readonly column: string | undefined };

type Grouped = { readonly groups: readonly Schemas['AssetGroup'][] };

const GroupList = ({ grouping, ...query }: GroupsProps & { readonly grouping: ImpactGrouping }) => {
  const { data, error, refetch } = useQuery({
    queryKey: ['impact groups', query.id, query.change, query.column, grouping],
    queryFn: ({ signal }) =>
      ask<Grouped>('/v1/lineage/impact', {
        query: { ...query, groupBy: grouping, compact: true, fields: 'id' },
        signal,
      }),
  });
  if (error) return <Failure failure={error} again={refetch} />;
  if (!data) return null;
  return (
    <>
      <p role="status">{summarizeGroups(data.groups, grouping)}</p>
      <ul className="impact-groups">
        {data.groups.map((group) => (
          <li key={group.key ?? ''}>
            {nameGroup(group, grouping)} <span className="quiet">{count(group.count, 'asset')}</span>
          </li>
        ))}
      </ul>
    </>
  );
};

export const ImpactGroups = (props: GroupsProps) => {
  const [grouping, setGrouping] = useState<ImpactGrouping>();
  return (
    <>
      <fieldset className="choice-row">
        <legend>Count by</legend>
        {IMPACT_GROUPINGS.map((one) => (
          <label key={one}>
            <input type="radio" name="impact-grouping" checked={grouping === one} onChange={() => setGrouping(one)} />
            {one}
          </label>
        ))}
      </fieldset>
      {grouping && <GroupList {...props} grouping={grouping} />}
    </>
  );
};
