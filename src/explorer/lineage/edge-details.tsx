import type { LineageEdge } from '../api/types.ts';
import { GrowingList } from '../parts/growing-list.tsx';
import { RichText } from '../parts/rich-text.tsx';
import { Failure, Waiting } from '../parts/states.tsx';
import { isoMoment, readableTime } from '../parts/times.ts';
import { BridgeWay } from './bridge-way.tsx';
import type { LineageChoice } from './choice.ts';
import { edgeTitle, listMappings, type Mapping, sourceName } from './edge-facts.ts';
import { edgeKeyOf } from './edge-key.ts';
import { EdgeSources } from './edge-sources.tsx';
import { FATE_NAMES, type ShownGraph } from './graph-model.ts';
import { columnName, count } from './names.ts';
import { Panel } from './panel.tsx';
import { RecordLink } from './record-link.tsx';
import type { ShownColumns } from './shown-columns.ts';
import { SqlText } from './sql-text.tsx';
import { type Assertion, type FoundEdge, useEdge } from './use-edge.ts';
import './edge-details.css';

type DetailsProps = {
  readonly graph: ShownGraph;
  readonly edge: LineageEdge;
  readonly columns: ShownColumns;
  readonly choice: LineageChoice;
  readonly onColumn: (column: string, id: string) => void;
  readonly onClose: () => void;
};

const When = ({ time, by }: { readonly time: number; readonly by: string | undefined }) => (
  <>
    <time dateTime={isoMoment(time)}>{readableTime(time)}</time>
    {by ? ` by ${by}` : ''}
  </>
);

/** When the only source last said the same. */
const Confirmed = ({ assertion }: { readonly assertion: Assertion | undefined }) =>
  assertion?.seenAt !== undefined &&
  assertion.seenAt !== assertion.updatedAt && (
    <>
      <dt>Last confirmed</dt>
      <dd>
        <When time={assertion.seenAt} by={undefined} />
      </dd>
    </>
  );

type FactsProps = {
  readonly details: NonNullable<LineageEdge['lineageDetails']>;
  /** Who says so today; several are listed by themselves. */
  readonly assertions?: readonly Assertion[] | undefined;
};

/** Who says so, by which pipeline, and since when. */
const Facts = ({ details, assertions = [] }: FactsProps) => (
  <dl>
    {details.source && assertions.length < 2 && (
      <>
        <dt>Source</dt>
        <dd>
          {sourceName(details)}
          {assertions.length === 0 && <span className="quiet"> (the latest to say so)</span>}
        </dd>
      </>
    )}
    {details.pipeline && (
      <>
        <dt>Pipeline</dt>
        <dd>
          <RecordLink record={details.pipeline} />
        </dd>
      </>
    )}
    {details.createdAt !== undefined && (
      <>
        <dt>Known since</dt>
        <dd>
          <When time={details.createdAt} by={details.createdBy} />
        </dd>
      </>
    )}
    {details.updatedAt !== undefined && details.updatedAt !== details.createdAt && (
      <>
        <dt>Changed</dt>
        <dd>
          <When time={details.updatedAt} by={details.updatedBy} />
        </dd>
      </>
    )}
    {assertions.length === 1 && <Confirmed assertion={assertions[0]} />}
    {details.assetEdges !== undefined && (
      <>
        <dt>Stands for</dt>
        <dd>{count(details.assetEdges, 'edge')} between assets</dd>
      </>
    )}
    {(details.tempLineageTables ?? []).map(({ fromEntity, toEntity }) => (
      <div key={`${fromEntity} ${toEntity}`} className="dl-row">
        <dt>Temporary</dt>
        <dd>
          <code>{fromEntity}</code> → <code>{toEntity}</code>
        </dd>
      </div>
    ))}
  </dl>
);

type NameProps = {
  readonly fqn: string;
  readonly owner: string | undefined;
  readonly isLit: boolean;
  readonly onColumn: (column: string) => void;
};

const ColumnName = ({ fqn, owner, isLit, onColumn }: NameProps) => (
  <button type="button" className="column-name" aria-pressed={isLit} onClick={() => onColumn(fqn)}>
    {columnName(fqn, owner)}
  </button>
);

type MappingsProps = Pick<DetailsProps, 'graph' | 'edge' | 'onColumn'> & {
  readonly column: string | undefined;
  readonly mappings: readonly Mapping[];
};

const Mappings = ({ graph, edge, column, onColumn, mappings }: MappingsProps) => {
  const from = graph.nodes.get(edge.fromEntity)?.fullyQualifiedName;
  const to = graph.nodes.get(edge.toEntity)?.fullyQualifiedName;
  return (
    <>
      <h3>{count(mappings.length, 'column')}</h3>
      <GrowingList
        className="mappings"
        items={mappings}
        keyOf={(mapping) => `${mapping.fromColumns.join(' ')} ${mapping.toColumn} ${mapping.function ?? ''}`}
        row={(mapping) => (
          <div className="mapping">
            <span className="mapping-from">
              {mapping.fromColumns.map((fqn) => (
                <ColumnName
                  key={fqn}
                  fqn={fqn}
                  owner={from}
                  isLit={fqn === column}
                  onColumn={(name) => onColumn(name, edge.fromEntity)}
                />
              ))}
            </span>
            <span aria-hidden="true">→</span>
            <ColumnName
              fqn={mapping.toColumn}
              owner={to}
              isLit={mapping.toColumn === column}
              onColumn={(name) => onColumn(name, edge.toEntity)}
            />
            {mapping.function && <code className="mapping-function">{mapping.function}</code>}
          </div>
        )}
      />
    </>
  );
};

/** Both places of a description may say something, and the same text is often in both. */
const Descriptions = ({ edge: { description, lineageDetails } }: Pick<DetailsProps, 'edge'>) =>
  [...new Set([lineageDetails?.description, description])].map((text) => text && <RichText key={text} text={text} />);

type FormerProps = Pick<DetailsProps, 'graph' | 'edge'> & { readonly since: string };

/** What the edge was before, where two times are compared. */
const Former = ({ graph, edge: now, since }: FormerProps) => {
  const { found, failure, again } = useEdge(graph, now, since);
  if (failure !== undefined) return <Failure failure={failure} again={again} />;
  if (found === undefined) return <Waiting what="how it was before" />;
  if (found === null) return <p className="quiet">It was a bridge over filtered assets before.</p>;
  const { edge } = found;
  const { lineageDetails: details } = edge;
  const columns = details?.columnsLineage?.length ?? 0;
  return (
    <details>
      <summary>How it was before</summary>
      <Descriptions edge={edge} />
      {details && <Facts details={details} />}
      {columns > 0 && <p className="quiet">{count(columns, 'column')}</p>}
      {details?.sqlQuery && <SqlText sql={details.sqlQuery} />}
    </details>
  );
};

/** What is known of one edge: who says so, by which SQL and pipeline, since when, and which columns feed which. */
export const EdgeDetails = ({ graph, edge: known, columns, choice, onColumn, onClose }: DetailsProps) => {
  const fate = graph.fates.get(edgeKeyOf(known.fromEntity, known.toEntity));
  // What is gone is as it was.
  const { found, isHidden, isPending, failure, again } = useEdge(
    graph,
    known,
    fate === 'went' ? choice.since : choice.asOf,
  );
  const { edge, assertions }: FoundEdge = found ?? { edge: known };
  const { column } = choice;
  const { lineageDetails: details } = edge;
  const mappings = listMappings(columns.edges.values(), edge);
  return (
    <Panel title={edgeTitle(graph, edge)} onClose={onClose} returnTo={`[data-id="${CSS.escape(edge.toEntity)}"]`}>
      <p className="row">
        <RecordLink record={graph.nodes.get(edge.fromEntity) ?? { id: edge.fromEntity }} />
        <span aria-hidden="true">→</span>
        <RecordLink record={graph.nodes.get(edge.toEntity) ?? { id: edge.toEntity }} />
      </p>
      {edge.over && <BridgeWay over={edge.over} asOf={fate === 'went' ? choice.since : choice.asOf} />}
      {fate && (
        <p>
          <span className={`chip ${fate === 'went' ? 'bad' : 'good'}`}>{FATE_NAMES[fate]}</span>
        </p>
      )}
      <Descriptions edge={edge} />
      {failure !== undefined && <Failure failure={failure} again={again} />}
      {details && <Facts details={details} assertions={assertions} />}
      {assertions && assertions.length > 1 && <EdgeSources assertions={assertions} />}
      {fate === 'changed' && !edge.bridged && choice.since !== undefined && (
        <Former graph={graph} edge={known} since={choice.since} />
      )}
      {mappings.length > 0 && (
        <Mappings graph={graph} edge={edge} column={column} onColumn={onColumn} mappings={mappings} />
      )}
      {details?.sqlQuery && <SqlText sql={details.sqlQuery} />}
      {isHidden && <p className="quiet">You may not see its SQL and columns.</p>}
      {isPending && <Waiting what="its SQL and columns" />}
      {found && !details?.sqlQuery && mappings.length === 0 && (
        <p className="quiet">No SQL and no columns are known of it.</p>
      )}
    </Panel>
  );
};
