import type { View } from '../../catalog/read/render.ts';
import type { JsonObject } from '../../model/json.ts';
import { WAY_MARK } from '../../model/lineage-way.ts';
import type { CsvColumns } from '../insight-parameters.ts';
import { roundConfidence } from '../source-confidence.ts';
import { type JudgedNode, listShownPaths } from './judge-nodes.ts';
import type { ValueNode } from './nearest-sources.ts';
import { renderValue, valueCell } from './property-value.ts';
import type { PageFacts, PropertySurvey } from './survey.ts';

/** Renders what assets or columns inherit. */

const namesOf = (nodes: readonly ValueNode[]): readonly string[] =>
  nodes.map(({ fullyQualifiedName }) => fullyQualifiedName);

const describeFirst = ([first = []]: readonly (readonly ValueNode[])[]): string => namesOf(first).join(WAY_MARK);

/** The product along the best of the shown ways that bring the value. */
const confidenceOf = <N extends ValueNode>(
  { sources, value }: JudgedNode<N>,
  paths: readonly (readonly N[])[],
  facts: PageFacts<N>,
): number => {
  const bringing = new Set(sources.filter((one) => one.value === value).map(({ source }) => source.key));
  const products = paths
    .filter(([source]) => source && bringing.has(source.key))
    .map((path) => path.slice(1).reduce((all, to, at) => all * facts.confidenceOf(path[at] as N, to), 1));
  return roundConfidence(Math.max(0, ...products));
};

const renderBlock = ({ blockedBy }: JudgedNode<ValueNode>): JsonObject | null =>
  blockedBy
    ? {
        from: blockedBy.from.fullyQualifiedName,
        to: blockedBy.to.fullyQualifiedName,
        function: blockedBy.function,
      }
    : null;

/** Renders a row; undefined when what it is about is gone since the graph was read. */
export const renderJudgedNode = <N extends ValueNode>(
  row: JudgedNode<N>,
  { property, subject, findValue }: PropertySurvey<N>,
  facts: PageFacts<N>,
  view: View,
): JsonObject | undefined => {
  const node = facts.renderNode(row.node);
  const value = findValue(row.value);
  if (!node || !value) return undefined;
  const paths = listShownPaths(row);
  return {
    [subject]: node,
    property,
    value: renderValue(value, view),
    state: row.state,
    sources: row.sources.flatMap(({ source }) => facts.renderNode(source) ?? []),
    paths: paths.map(namesOf),
    reason: describeFirst(paths),
    blockedBy: renderBlock(row),
    conflictsWith: row.conflictsWith.flatMap((identity) => {
      const other = findValue(identity);
      return other ? [renderValue(other, view)] : [];
    }),
    confidence: confidenceOf(row, paths, facts),
  };
};

export const judgedNodeCells = <N extends ValueNode>(
  { property, subject, typeOf, findValue }: PropertySurvey<N>,
  facts: PageFacts<N>,
): CsvColumns<JudgedNode<N>> => {
  const cellOf = (identity: string): string => {
    const value = findValue(identity);
    return value ? valueCell(value) : '';
  };
  return {
    [subject]: ({ node }) => node.fullyQualifiedName,
    entityType: ({ node }) => typeOf(node),
    property: () => property,
    value: ({ value }) => cellOf(value),
    state: ({ state }) => state,
    reason: (row) => describeFirst(listShownPaths(row)),
    blockedBy: ({ blockedBy }) => blockedBy?.function,
    conflictsWith: ({ conflictsWith }) => conflictsWith.map(cellOf).join(' | '),
    confidence: (row) => confidenceOf(row, listShownPaths(row), facts),
  };
};
