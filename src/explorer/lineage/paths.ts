import type { AssetName } from '../addresses.ts';
import type { ColumnEdge, LineageEdge, LineageNode, LineagePaths } from '../api/types.ts';
import { edgeKeyOf } from './edge-key.ts';
import type { ShownGraph } from './graph-model.ts';
import { columnName, recordName } from './names.ts';
import { NO_TRUSTS } from './trust.ts';

/** The paths between two ends, as the address asks for them and as the graph shows them. */

/** An asset, or one of its columns. */
export type End = AssetName & { readonly column?: string | undefined };

export type PathsQuestion = {
  readonly from: End | undefined;
  readonly to: End | undefined;
  /** IDs of records that no path may lead through. */
  readonly avoid: readonly string[];
  readonly most: number;
  /** Which of the paths stands out. */
  readonly chosen: number;
};

/** So many paths are asked for at first; more when somebody goes on, up to what the API answers. */
export const PATH_STEPS = [10, 30, 100] as const;

const readEnd = (params: URLSearchParams, name: 'from' | 'to'): End | undefined => {
  const text = params.get(name) ?? '';
  const colon = text.indexOf(':');
  if (colon < 1 || colon === text.length - 1) return undefined;
  return { type: text.slice(0, colon), fqn: text.slice(colon + 1), column: params.get(`${name}Column`) ?? undefined };
};

export const readQuestion = (params: URLSearchParams): PathsQuestion => {
  const chosen = Number(params.get('path') ?? 1);
  return {
    from: readEnd(params, 'from'),
    to: readEnd(params, 'to'),
    avoid: (params.get('avoid') ?? '').split(',').filter(Boolean),
    most: PATH_STEPS.find((step) => String(step) === params.get('paths')) ?? PATH_STEPS[0],
    chosen: Number.isInteger(chosen) && chosen > 0 ? chosen - 1 : 0,
  };
};

const setOrRemove = (params: URLSearchParams, name: string, value: string | undefined): void => {
  if (value === undefined || value === '') params.delete(name);
  else params.set(name, value);
};

/** Writes a question into an address, and leaves alone what else the address says. */
export const writeQuestion = (former: URLSearchParams, question: PathsQuestion): URLSearchParams => {
  const params = new URLSearchParams(former);
  for (const name of ['from', 'to'] as const) {
    const end = question[name];
    setOrRemove(params, name, end && `${end.type}:${end.fqn}`);
    setOrRemove(params, `${name}Column`, end?.column);
  }
  setOrRemove(params, 'avoid', question.avoid.join(','));
  setOrRemove(params, 'paths', question.most === PATH_STEPS[0] ? undefined : String(question.most));
  setOrRemove(params, 'path', question.chosen === 0 ? undefined : String(question.chosen + 1));
  return params;
};

/** An end as the API names it: an entity link, with the column by its name within the record. */
export const linkOf = ({ type, fqn, column }: End): string =>
  column === undefined ? `<#E::${type}::${fqn}>` : `<#E::${type}::${fqn}::columns::${column.slice(fqn.length + 1)}>`;

type Path = LineagePaths['paths'][number];

const nodesOf = (path: Path): readonly LineageNode[] =>
  path.nodes.map((node) => ({ ...node, id: node.id ?? '', type: node.type ?? '' }));

/** The records of a path that one may ask to avoid: those between its ends. */
export const between = (path: Path): readonly LineageNode[] => nodesOf(path).slice(1, -1);

/** Through what a path leads, each record with its column where the path is one of columns. */
export const stopsOf = (path: Path): readonly string[] =>
  nodesOf(path)
    .map((node, at) => {
      const column = path.edges[at]?.fromColumn;
      return column === undefined
        ? recordName(node)
        : `${recordName(node)} › ${columnName(column, node.fullyQualifiedName)}`;
    })
    .slice(1, -1);

/** How the columns are joined that paths lead through; none for paths of whole assets. */
export const columnEdgesOf = (paths: readonly Path[]): readonly ColumnEdge[] =>
  paths
    .flatMap(({ edges }) => edges)
    .flatMap(({ fromEntity = '', toEntity = '', fromColumn, toColumn }) =>
      fromColumn === undefined || toColumn === undefined ? [] : [{ fromEntity, fromColumn, toEntity, toColumn }],
    );

/** All paths as one graph; `known` says more of their records than the paths do. */
export const graphOfPaths = (paths: readonly Path[], known: readonly LineageNode[] = []): ShownGraph => {
  const more = new Map(known.map((node) => [node.id, node]));
  const nodes = new Map(paths.flatMap(nodesOf).map((node) => [node.id, { ...more.get(node.id), ...node }]));
  const steps = paths.flatMap(({ edges }) => edges);
  return {
    rootId: paths[0]?.nodes[0]?.id ?? '',
    nodes,
    edges: new Map(
      steps.map(({ fromEntity = '', toEntity = '', description, lineageDetails }): [string, LineageEdge] => [
        edgeKeyOf(fromEntity, toEntity),
        {
          fromEntity,
          toEntity,
          ...(description === undefined ? {} : { description }),
          ...(lineageDetails === undefined ? {} : { lineageDetails }),
        },
      ]),
    ),
    hidden: new Map(),
    filtered: new Map(),
    isTruncated: false,
    cutAt: new Set(),
    fates: new Map(),
    isCompared: false,
    trusts: NO_TRUSTS,
  };
};
