import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { Link } from 'wouter';
import { assetAddress } from '../addresses.ts';
import { readTeams } from '../api/people.ts';
import { PageRows } from '../parts/page-rows.tsx';
import { Failure, Nothing, Waiting } from '../parts/states.tsx';
import { listTeamRows, type TeamRow } from './team-rows.ts';

const ROW_HEIGHT = 48;
const INDENT_PX = 22;

/** The names of the ranks of teams, as people write them. */
const RANKS: ReadonlyMap<string, string> = new Map(Object.entries({ BusinessUnit: 'Business unit' }));

type TeamLineProps = { readonly row: TeamRow; readonly onToggle: () => void };

const TeamLine = ({ row: { team, depth, below, isOpen }, onToggle }: TeamLineProps) => {
  const label = team.displayName || team.name;
  return (
    <div className="team" style={{ paddingInlineStart: 4 + depth * INDENT_PX }}>
      {below > 0 ? (
        <button
          type="button"
          className="team-toggle"
          aria-expanded={isOpen}
          aria-label={`Teams of ${label}`}
          onClick={onToggle}
        >
          {isOpen ? '▾' : '▸'}
        </button>
      ) : (
        <span className="team-toggle" aria-hidden="true" />
      )}
      <Link href={assetAddress('team', team.fullyQualifiedName)}>{label}</Link>
      <span className="visually-hidden">, level {depth + 1}</span>
      {team.teamType && <span className="chip">{RANKS.get(team.teamType) ?? team.teamType}</span>}
      {below > 0 && !isOpen && <span className="quiet">{below.toLocaleString()} below</span>}
    </div>
  );
};

const toggleIn = (ids: ReadonlySet<string>, id: string): ReadonlySet<string> =>
  new Set(ids.has(id) ? [...ids].filter((one) => one !== id) : [...ids, id]);

/** The teams, each below the one it belongs to. */
export const TeamList = ({ text }: { readonly text: string }) => {
  const { data, error, refetch } = useQuery({
    queryKey: ['team hierarchy'],
    queryFn: ({ signal }) => readTeams(signal),
  });
  const [closed, setClosed] = useState<ReadonlySet<string>>(new Set());
  const rows = useMemo(() => listTeamRows(data ?? [], { closed, text }), [data, closed, text]);
  if (error) return <Failure failure={error} again={refetch} />;
  if (!data) return <Waiting what="the teams" />;
  if (rows.length === 0)
    return <Nothing>{text === '' ? 'There is no team that you may see.' : `No team is called «${text}».`}</Nothing>;
  return (
    <PageRows
      label="List of teams"
      count={rows.length}
      rowHeight={ROW_HEIGHT}
      keyOf={(index) => rows[index]?.team.id ?? index}
      row={(index) => {
        const row = rows[index];
        return row && <TeamLine row={row} onToggle={() => setClosed(toggleIn(closed, row.team.id))} />;
      }}
    />
  );
};
