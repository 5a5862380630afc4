import type { LabelNode, RefNode } from '../../catalog/queries.ts';
import { renderLabels, type View } from '../../catalog/read/render.ts';
import type { Json, JsonObject } from '../../model/json.ts';
import { WAY_MARK } from '../../model/lineage-way.ts';
import type { TracedColumn } from '../columns/column-graph.ts';
import { renderTracedColumn } from '../columns/render-column.ts';
import type { CsvColumns } from '../insight-parameters.ts';
import { roundConfidence } from '../source-confidence.ts';
import type { JudgedColumn } from './judge-columns.ts';
import type { Block } from './ways.ts';

/** Renders the columns that inherit a tag. */

const namesOf = (columns: readonly TracedColumn[]): readonly string[] =>
  columns.map(({ fullyQualifiedName }) => fullyQualifiedName);

/** Writes a way as the reason of a label. */
export const describeWay = (columns: readonly TracedColumn[]): string => namesOf(columns).join(WAY_MARK);

/** Says by which way a column has a label: the whole of the shortest one. */
export const describeShortestWay = ({ paths: [shortest = []] }: Pick<JudgedColumn, 'paths'>): string =>
  describeWay(shortest);

/** The label that a column has, or that it would get. */
const labelOf = (row: JudgedColumn, tag: RefNode): LabelNode =>
  row.carried ?? {
    tagId: tag.id,
    tagFQN: tag.fullyQualifiedName,
    entityType: tag.entityType,
    name: tag.name,
    displayName: tag.displayName ?? null,
    description: tag.description ?? null,
    styleJson: null,
    source: 'Classification',
    labelType: 'Propagated',
    state: 'Confirmed',
    reason: describeShortestWay(row),
  };

const renderBlock = ({ from, to, function: how }: Block): JsonObject => ({
  from: from.fullyQualifiedName,
  to: to.fullyQualifiedName,
  function: how,
});

export const renderJudgedColumn = (row: JudgedColumn, tag: RefNode, view: View): JsonObject => ({
  column: renderTracedColumn(row.column, view),
  state: row.state,
  label: renderLabels([labelOf(row, tag)], view)[0] as Json,
  sources: row.sources.map((source) => renderTracedColumn(source, view)),
  paths: row.paths.map(namesOf),
  reason: describeShortestWay(row),
  blockedBy: row.blockedBy ? renderBlock(row.blockedBy) : null,
  conflictsWith: renderLabels(row.rivals, view),
  confidence: roundConfidence(row.confidence),
});

export const judgedColumnCells = (tag: RefNode): CsvColumns<JudgedColumn> => ({
  column: ({ column }) => column.fullyQualifiedName,
  entityType: ({ column }) => column.owner.entityType,
  tag: () => tag.fullyQualifiedName,
  state: ({ state }) => state,
  reason: describeShortestWay,
  blockedBy: ({ blockedBy }) => blockedBy?.function,
  conflictsWith: ({ rivals }) => rivals.map(({ tagFQN }) => tagFQN).join(' '),
  confidence: ({ confidence }) => roundConfidence(confidence),
});
