import type { LineageImpact, LineageNode } from '../api/types.ts';
import { GrowingList } from '../parts/growing-list.tsx';
import { isWithheld } from '../parts/no-asset.tsx';
import { Failure, Nothing, Waiting } from '../parts/states.tsx';
import { AffectedRow, Broken } from './affected-row.tsx';
import { CHANGES, type Change, type LineageChoice } from './choice.ts';
import { ColumnPicker } from './column-picker.tsx';
import { ImpactGroups } from './impact-groups.tsx';
import { count, recordName } from './names.ts';
import { Panel } from './panel.tsx';
import { useColumnsOf } from './read-columns.ts';
import type { useImpact } from './use-impact.ts';
import './impact-panel.css';

/** What a change may break, the worst first, and whom to ask. */

const WORDS: Readonly<Record<Change, string>> = { drop: 'dropped', rename: 'renamed', retype: 'given another type' };
const NAMES: Readonly<Record<Change, string>> = { drop: 'Drop', rename: 'Rename', retype: 'Change the type' };

type PanelProps = {
  readonly impact: ReturnType<typeof useImpact>;
  readonly choice: LineageChoice;
  readonly change: (part: Partial<LineageChoice>) => void;
};

const ChangeChoice = ({ choice, change }: Pick<PanelProps, 'choice' | 'change'>) => (
  <fieldset className="choice-row">
    <legend>Change</legend>
    {CHANGES.map((one) => (
      <label key={one}>
        <input
          type="radio"
          name="change"
          checked={choice.change === one}
          onChange={() => change({ change: one, reached: undefined })}
        />
        {NAMES[one]}
      </label>
    ))}
  </fieldset>
);

type ColumnProps = {
  readonly subject: LineageNode;
  readonly column: string | undefined;
  readonly onColumn: (column: string | undefined) => void;
};

const ColumnChoice = ({ subject, column, onColumn }: ColumnProps) => {
  const { type, fullyQualifiedName: fqn = '' } = subject;
  const { data: columns, error, refetch } = useColumnsOf({ type, fqn });
  if (isWithheld(error) || columns?.length === 0) return null;
  if (error) return <Failure failure={error} again={refetch} />;
  return (
    <ColumnPicker
      label={`Column of ${recordName(subject)}`}
      columns={columns ?? []}
      column={column}
      onColumn={onColumn}
    />
  );
};

const Summary = ({ data }: { readonly data: LineageImpact }) => {
  const { entities, columns, contracts, tests, owners } = data.summary;
  const certain = data.affected.filter(({ certainty }) => certainty === 'certain').length;
  return (
    <p role="status">
      {entities === 0
        ? 'Nothing downstream reads it.'
        : `${certain} certain and ${entities - certain} possible: ${count(entities, 'asset')} with ${count(columns, 'column')}, ${count(contracts, 'contract')}, ${count(tests, 'test')}, ${count(owners, 'owner')}.`}
    </p>
  );
};

export const ImpactPanel = ({ impact, choice, change }: PanelProps) => {
  const { subject, column, data, error, refetch } = impact;
  if (!subject || !choice.change) return null;
  const what = column?.slice((subject.fullyQualifiedName?.length ?? 0) + 1) ?? recordName(subject);
  return (
    <Panel
      title={`If ${what} is ${WORDS[choice.change]}`}
      onClose={() => change({ change: undefined, reached: undefined })}
    >
      <ChangeChoice choice={choice} change={change} />
      <ColumnChoice
        subject={subject}
        column={column}
        onColumn={(next) => change({ column: next, columnOf: subject.id, reached: undefined })}
      />
      {choice.asOf !== undefined && <p className="notice">This is what breaks today, not at the time of the graph.</p>}
      {error && <Failure failure={error} again={refetch} />}
      {!data && !error && <Waiting what="the impact" />}
      {data && <Summary data={data} />}
      {data && (
        <Broken title="Of the asset itself" contracts={data.root.contracts ?? []} tests={data.root.tests ?? []} />
      )}
      {data && data.affected.length > 0 && <ImpactGroups id={subject.id} change={choice.change} column={column} />}
      {data && data.affected.length > 0 && (
        <GrowingList
          className="affected"
          label="What it affects, worst first"
          items={data.affected}
          keyOf={({ entity }) => entity.id}
          row={(row) => (
            <AffectedRow
              row={row}
              isShown={choice.reached === row.entity.id}
              onPath={() => change({ reached: choice.reached === row.entity.id ? undefined : row.entity.id })}
            />
          )}
        />
      )}
      {data?.affected.length === 0 && (data.root.contracts ?? []).length === 0 && <Nothing>Nothing breaks.</Nothing>}
    </Panel>
  );
};
