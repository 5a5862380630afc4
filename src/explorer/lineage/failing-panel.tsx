import type { LineageNode } from '../api/types.ts';
import { GrowingList } from '../parts/growing-list.tsx';
import { KindName } from '../parts/kind-name.tsx';
import { Failure, Nothing, Waiting } from '../parts/states.tsx';
import type { Failing } from './failing.ts';
import { FailingTests } from './failing-tests.tsx';
import { count, recordName } from './names.ts';
import { Panel } from './panel.tsx';
import { RecordLink } from './record-link.tsx';
import { StateChips } from './state-chips.tsx';
import type { useFailing } from './use-failing.ts';

const Record = ({ record }: { readonly record: Failing['records'][number] }) => (
  <div className="affected-row">
    <span className="row">
      <RecordLink record={record} />
      <StateChips record={record} />
      <KindName type={record.type} />
      <span className="quiet">{record.steps === 0 ? 'this asset' : `${count(record.steps, 'step')} upstream`}</span>
    </span>
    <FailingTests record={record} />
  </div>
);

type PanelProps = {
  readonly root: LineageNode;
  readonly failing: ReturnType<typeof useFailing>;
  readonly onClose: () => void;
};

/** Which tests fail upstream; the graph shows how their data comes here. */
export const FailingPanel = ({ root, failing: { data, error, refetch }, onClose }: PanelProps) => (
  <Panel title={`Failing upstream of ${recordName(root)}`} onClose={onClose}>
    {error && <Failure failure={error} again={refetch} />}
    {!data && !error && <Waiting what="the failing tests" />}
    {data?.records.length === 0 && <Nothing>No test fails in the ten steps upstream.</Nothing>}
    {data && data.records.length > 0 && (
      <>
        <p role="status">
          {count(data.records.length, 'asset')} with failing tests, as of today. The paths from there are highlighted in
          the graph.
        </p>
        <GrowingList
          className="affected"
          items={data.records}
          keyOf={({ id }) => id}
          row={(record) => <Record record={record} />}
          step={20}
        />
      </>
    )}
  </Panel>
);
