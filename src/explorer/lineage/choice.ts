import { orderTimes } from './times.ts';

/** What a lineage page shows beyond the record: all of it stands in the address, so that every view can be shared. */

export type LineageChoice = {
  readonly upstream: number;
  readonly downstream: number;
  /** The full name of the column whose trail is lit. */
  readonly column: string | undefined;
  /** The record that has the lit column, where it is not the one that the page is about. */
  readonly columnOf: string | undefined;
  /** Records whose columns are shown. */
  readonly open: readonly string[];
  /** Steps beyond the depth: a direction and the record from which it goes on. */
  readonly more: readonly string[];
  /** Records that were picked among the neighbours of another one. */
  readonly picked: readonly string[];
  /** The step whose records are offered to be picked: a direction and the record from which it goes on. */
  readonly picking: string | undefined;
  readonly asOf: string | undefined;
  /** The earlier time with which the lineage is compared. */
  readonly since: string | undefined;
  /** The change of the lit column, or of the record, whose consequences are shown. */
  readonly change: Change | undefined;
  /** What records must have to be shown: their kinds, and the full names of services, domains and tags. */
  readonly types: readonly string[];
  /** By what records are grouped; undefined where the page decides by how many there are. */
  readonly group: Grouping | 'none' | undefined;
  /** Groups that are unfolded: how many of their members are shown, and where the group is. */
  readonly unfold: readonly string[];
  /** Records that stand alone although their group is folded. */
  readonly alone: readonly string[];
  readonly services: readonly string[];
  readonly domains: readonly string[];
  readonly tags: readonly string[];
  readonly isList: boolean;
  /** The edge, or else the record, whose details are shown. */
  readonly edge: string | undefined;
  readonly asset: string | undefined;
  /** The record that a change reaches by the path that is highlighted. */
  readonly reached: string | undefined;
  /** Whether the failing tests upstream are shown. */
  readonly isFailing: boolean;
};

export const FILTERS = ['types', 'services', 'domains', 'tags'] as const;
export type Filter = (typeof FILTERS)[number];

export const CHANGES = ['drop', 'rename', 'retype'] as const;
export type Change = (typeof CHANGES)[number];

const readChange = (text: string | null): Change | undefined => CHANGES.find((change) => change === text);

/** From the finest to the coarsest. */
export const GROUPINGS = ['schema', 'service', 'domain'] as const;
export type Grouping = (typeof GROUPINGS)[number];

const readGrouping = (text: string | null): LineageChoice['group'] =>
  text === 'none' ? 'none' : GROUPINGS.find((grouping) => grouping === text);

const DEFAULT_DEPTH = 2;

const readDepth = (text: string | null): number => {
  const depth = Number(text ?? DEFAULT_DEPTH);
  return Number.isSafeInteger(depth) && depth >= 0 ? depth : DEFAULT_DEPTH;
};

const readList = (text: string | null): readonly string[] => (text ? text.split(',').filter(Boolean) : []);

const readFilters = (params: URLSearchParams): Record<Filter, readonly string[]> => ({
  types: readList(params.get('types')),
  services: readList(params.get('services')),
  domains: readList(params.get('domains')),
  tags: readList(params.get('tags')),
});

export const readChoice = (params: URLSearchParams): LineageChoice => ({
  upstream: readDepth(params.get('up')),
  downstream: readDepth(params.get('down')),
  column: params.get('column') ?? undefined,
  columnOf: params.get('of') ?? undefined,
  open: readList(params.get('open')),
  more: readList(params.get('more')),
  picked: readList(params.get('with')),
  picking: params.get('pick') ?? undefined,
  ...orderTimes({ asOf: params.get('asOf') ?? undefined, since: params.get('since') ?? undefined }, Date.now()),
  change: readChange(params.get('change')),
  ...readFilters(params),
  group: readGrouping(params.get('group')),
  unfold: readList(params.get('unfold')),
  alone: readList(params.get('alone')),
  isList: params.get('view') === 'list',
  edge: params.get('edge') ?? undefined,
  asset: params.get('asset') ?? undefined,
  reached: params.get('reached') ?? undefined,
  isFailing: params.get('failing') === 'true',
});

/** What a view holds beyond the extent and the time of the graph. */
const writePanels = (params: URLSearchParams, choice: LineageChoice): void => {
  if (choice.isList) params.set('view', 'list');
  if (choice.edge !== undefined) params.set('edge', choice.edge);
  if (choice.asset !== undefined) params.set('asset', choice.asset);
  if (choice.reached !== undefined) params.set('reached', choice.reached);
  if (choice.isFailing) params.set('failing', 'true');
  if (choice.picking !== undefined) params.set('pick', choice.picking);
};

export const writeChoice = (choice: LineageChoice): URLSearchParams => {
  const params = new URLSearchParams();
  if (choice.upstream !== DEFAULT_DEPTH) params.set('up', String(choice.upstream));
  if (choice.downstream !== DEFAULT_DEPTH) params.set('down', String(choice.downstream));
  if (choice.column !== undefined) params.set('column', choice.column);
  if (choice.column !== undefined && choice.columnOf !== undefined) params.set('of', choice.columnOf);
  if (choice.open.length > 0) params.set('open', choice.open.join(','));
  if (choice.more.length > 0) params.set('more', choice.more.join(','));
  if (choice.picked.length > 0) params.set('with', choice.picked.join(','));
  if (choice.asOf !== undefined) params.set('asOf', choice.asOf);
  if (choice.since !== undefined) params.set('since', choice.since);
  if (choice.change !== undefined) params.set('change', choice.change);
  for (const filter of FILTERS) if (choice[filter].length > 0) params.set(filter, choice[filter].join(','));
  if (choice.group !== undefined) params.set('group', choice.group);
  if (choice.unfold.length > 0) params.set('unfold', choice.unfold.join(','));
  if (choice.alone.length > 0) params.set('alone', choice.alone.join(','));
  writePanels(params, choice);
  return params;
};

/** The filters as the API takes them. */
export const filterQuery = (choice: Pick<LineageChoice, Filter>): Readonly<Record<Filter, string>> => ({
  types: choice.types.join(','),
  services: choice.services.join(','),
  domains: choice.domains.join(','),
  tags: choice.tags.join(','),
});

/** The names of all parameters of a view. */
const OWN_NAMES: ReadonlySet<string> = new Set([
  ...['up', 'down', 'column', 'of', 'open', 'more', 'asOf', 'since', 'change', ...FILTERS],
  ...['group', 'unfold', 'alone', 'with', 'pick', 'view', 'edge', 'asset', 'reached', 'failing'],
]);

/** Lights a column of a record, or puts it out when it is lit. */
export const toggleColumn = (
  { column }: Pick<LineageChoice, 'column'>,
  fqn: string,
  id: string,
): Pick<LineageChoice, 'column' | 'columnOf'> =>
  column === fqn ? { column: undefined, columnOf: undefined } : { column: fqn, columnOf: id };

/** Changes the view in an address and leaves alone what else the address says. */
export const changeChoice = (former: URLSearchParams, part: Partial<LineageChoice>): URLSearchParams => {
  const choice = readChoice(former);
  // Another column may be of another record.
  const columnOf = 'column' in part ? part.columnOf : choice.columnOf;
  // What is shown beside the graph takes the place of what was shown there.
  const picking = 'asset' in part || 'edge' in part ? part.picking : choice.picking;
  const next = writeChoice({ ...choice, picking, ...part, columnOf });
  for (const [name, value] of former) if (!OWN_NAMES.has(name)) next.append(name, value);
  return next;
};
